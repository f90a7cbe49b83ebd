// Runs in VS Code's extension host and answers one JSON line for each JSON line {question, argument} on a local socket.
const net = require('node:net');
const readline = require('node:readline');
const vscode = require('vscode');

const severities = ['error', 'warning', 'information', 'hint'];
const execute = vscode.commands.executeCommand;
const position = ({ line, character }) => new vscode.Position(line, character);
const open = ({ file }) => vscode.workspace.openTextDocument(vscode.Uri.file(file));

const questions = {
  version: () => vscode.version,
  trusted: () => vscode.workspace.isTrusted,
  commands: async () => (await vscode.commands.getCommands(true)).filter((id) => id.startsWith('moorline.')),
  run: ({ command, args = [] }) => execute(command, ...args),
  problems: async ({ file } = {}) => {
    const all = file === undefined ? vscode.languages.getDiagnostics() : [[vscode.Uri.file(file), vscode.languages.getDiagnostics(vscode.Uri.file(file))]];
    return all.flatMap(([uri, problems]) =>
      problems.map((problem) => ({
        file: uri.fsPath,
        message: problem.message,
        severity: severities[problem.severity],
        source: problem.source,
        code: typeof problem.code === 'object' ? problem.code.value : problem.code,
        line: problem.range.start.line,
      })),
    );
  },
  hover: async (argument) => {
    await open(argument);
    const hovers = await execute('vscode.executeHoverProvider', vscode.Uri.file(argument.file), position(argument));
    return hovers.flatMap((hover) => hover.contents.map((part) => ({ text: part.value, trusted: Boolean(part.isTrusted), html: Boolean(part.supportHtml) })));
  },
  lenses: async (argument) => {
    await open(argument);
    const lenses = await execute('vscode.executeCodeLensProvider', vscode.Uri.file(argument.file), 100);
    return lenses.map((lens) => ({ title: lens.command?.title, command: lens.command?.command, line: lens.range.start.line }));
  },
  actions: async (argument) => {
    await open(argument);
    const range = new vscode.Range(position(argument), position(argument));
    const actions = await execute('vscode.executeCodeActionProvider', vscode.Uri.file(argument.file), range);
    return actions.map((action) => ({ title: action.title, kind: action.kind?.value, command: action.command?.command, args: action.command?.arguments }));
  },
  text: async (argument) => {
    const document = await open(argument);
    return { text: document.getText(), dirty: document.isDirty };
  },
  addFolder: ({ folder }) =>
    vscode.workspace.updateWorkspaceFolders(vscode.workspace.workspaceFolders.length, 0, { uri: vscode.Uri.file(folder) }),
  removeFolder: ({ folder }) => {
    const index = vscode.workspace.workspaceFolders.findIndex(({ uri }) => uri.fsPath === folder);
    return index >= 0 && vscode.workspace.updateWorkspaceFolders(index, 1);
  },
  rename: async ({ from, to }) => {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(vscode.Uri.file(from), vscode.Uri.file(to));
    return vscode.workspace.applyEdit(edit);
  },
};

async function answer(line) {
  try {
    const { question, argument } = JSON.parse(line);
    return { answer: (await questions[question](argument)) ?? null };
  } catch (error) {
    return { error: String(error?.stack ?? error) };
  }
}

exports.activate = (context) => {
  const path = vscode.workspace.getConfiguration('moorlineProbe').get('socket');
  const server = net.createServer((socket) => {
    readline.createInterface({ input: socket }).on('line', async (line) => socket.write(`${JSON.stringify(await answer(line))}\n`));
    socket.on('error', () => undefined);
  });
  server.listen(path);
  context.subscriptions.push({ dispose: () => server.close() });
};
