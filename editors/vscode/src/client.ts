// The one connection to the server, for all folders of the window: starting it, stopping it, asking it.
import * as os from 'node:os';
import * as vscode from 'vscode';
import { DidChangeConfigurationNotification, ExecuteCommandRequest, LanguageClient, State } from 'vscode-languageclient/node';
import { findServer, ServerNotFound, type ServerCommand } from './find_server';
import { CHANGED, CLIENT_COMMANDS, type ChangedParams } from './protocol';
import { serverSettings } from './settings';

export class Connection implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Moorline');
  private readonly changed = new vscode.EventEmitter<ChangedParams>();
  private readonly running = new vscode.EventEmitter<boolean>();
  /** The server says that something a view may show is different now. */
  readonly onChanged = this.changed.event;
  readonly onRunning = this.running.event;
  private client: LanguageClient | undefined;
  private queue: Promise<void> = Promise.resolve();
  private found: ServerCommand | undefined;
  private followSettings: vscode.Disposable | undefined;

  constructor(private readonly extension: vscode.Extension<unknown>) {}

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  /** The command that runs Moorline, once it was found: for its other subcommands. */
  get command(): ServerCommand | undefined {
    return this.found;
  }

  /** Starts the server, or stops it first and starts it anew. One at a time, whoever asks. */
  restart(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow()).then(() => this.startNow());
    return this.queue;
  }

  stop(): Promise<void> {
    this.queue = this.queue.then(() => this.stopNow());
    return this.queue;
  }

  /** Runs a command of the server with one object as its argument. */
  async ask<T>(command: string, argument: object): Promise<T> {
    await this.queue;
    if (this.client === undefined || !this.isRunning) {
      throw new Error('The server is not running. "Moorline: Restart the Server" starts it, "Moorline: Show the Log" says why it stopped.');
    }
    return (await this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] })) as T;
  }

  dispose(): void {
    this.followSettings?.dispose();
    for (const part of [this.changed, this.running, this.log]) {
      part.dispose();
    }
  }

  private async startNow(): Promise<void> {
    if (!vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === 'file')) {
      return; // Nothing that memories could belong to; a folder that is added later starts the server.
    }
    try {
      this.found = await findServer();
      this.log.appendLine(`Starting ${[this.found.program, ...this.found.args, 'lsp'].join(' ')} (found through ${this.found.from})`);
      this.client = this.newClient(this.found);
      await this.client.start();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.log.appendLine(message);
      void this.explain(error instanceof ServerNotFound ? message : `Moorline: its server did not start: ${message}`);
    }
    this.running.fire(this.isRunning);
  }

  private settings(): Record<string, unknown> {
    return serverSettings(this.extension);
  }

  private newClient(server: ServerCommand): LanguageClient {
    const client = new LanguageClient(
      'moorline',
      'Moorline',
      {
        command: server.program,
        args: [...server.args, 'lsp'],
        // Not the workspace: "python -m" would import what lies there.
        options: { cwd: os.homedir() },
      },
      {
        documentSelector: [{ scheme: 'file' }],
        outputChannel: this.log,
        initializationOptions: { moorline: { ...this.settings(), clientCommands: CLIENT_COMMANDS } },
        // Memory text comes with the repository: no command links, no HTML.
        markdown: { isTrusted: false, supportHtml: false },
        middleware: {
          workspace: {
            configuration: ({ items }) => items.map(({ section }) => (section === 'moorline' ? this.settings() : null)),
            didChangeConfiguration: () => Promise.resolve(), // Told below, and without the defaults.
          },
          // An answer that is only to be read would be dropped by whoever clicked: it is shown instead.
          executeCommand: (command, args: unknown[], next) =>
            command === 'moorline.diff' ? vscode.commands.executeCommand('moorline.ui.diff', args[0]) : (next(command, args) as unknown),
        },
      },
    );
    this.followSettings?.dispose();
    this.followSettings = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('moorline') && client.state === State.Running) {
        void client.sendNotification(DidChangeConfigurationNotification.type, { settings: { moorline: this.settings() } });
      }
    });
    client.onNotification(CHANGED, (params: ChangedParams) => this.changed.fire(params));
    client.onDidChangeState(({ newState }) => this.running.fire(newState === State.Running));
    return client;
  }

  private async stopNow(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) {
      return;
    }
    try {
      await client.dispose(3000);
    } catch (error) {
      this.log.appendLine(`Stopping the server: ${String(error)}`);
    }
  }

  private async explain(message: string): Promise<void> {
    const choice = await vscode.window.showErrorMessage(message, 'Retry', 'Open Setting', 'Show Log');
    if (choice === 'Retry') {
      await this.restart();
    } else if (choice === 'Open Setting') {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'moorline.server.command');
    } else if (choice === 'Show Log') {
      this.log.show();
    }
  }
}
