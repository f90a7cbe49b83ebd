// Which settings the server is told: those that the user or the workspace set, and no default of ours.
import * as vscode from 'vscode';

/** Settings of the extension itself, which the server does not know. */
const OWN = /^moorline\.(server|trace|gutter)\b/;

/** The settings for the server as one object. A default would override what the repository's own config.toml says. */
export function serverSettings(extension: vscode.Extension<unknown>): Record<string, unknown> {
  const contributes = (extension.packageJSON as { contributes: { configuration: { properties: object } } }).contributes;
  const settings: Record<string, unknown> = {};
  const configuration = vscode.workspace.getConfiguration();
  for (const key of Object.keys(contributes.configuration.properties).filter((name) => !OWN.test(name))) {
    const set = configuration.inspect(key);
    const value = set?.workspaceValue ?? set?.globalValue;
    if (value !== undefined) {
      put(settings, key.split('.').slice(1), value);
    }
  }
  return settings;
}

function put(settings: Record<string, unknown>, [first = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    settings[first] = value;
  } else {
    const inner = (settings[first] ??= {}) as Record<string, unknown>;
    put(inner, rest, value);
  }
}
