#!/bin/bash
# install_code_server.sh DIR [VERSION]: puts code-server (VS Code's workbench in a browser) into DIR.
# Needs node 20, a C++ compiler, python3 and ripgrep (`rg`). Afterwards DIR/node_modules/.bin/code-server runs it.
#
# The package's own install script downloads programs and asks for the network in ways that often fail, so the
# packages are installed without scripts, and the few native modules that matter are built here.
set -euo pipefail
dir=$1
version=${2:-4.100.3}
case $(node --version) in v20.*) ;; *) echo "code-server $version needs Node 20; this is Node $(node --version)." >&2; exit 1 ;; esac
ripgrep=$(command -v rg) || { echo "ripgrep is needed: install the package that brings the command rg." >&2; exit 1; }

mkdir -p "$dir"
cd "$dir"
dir=$PWD
[ -f package.json ] || echo '{"private": true}' > package.json
quiet=(--no-audit --no-fund --silent)
npm install --ignore-scripts "${quiet[@]}" "code-server@$version"
npm rebuild --silent argon2

cd node_modules/code-server/lib/vscode
npm install --ignore-scripts --omit=dev "${quiet[@]}"
(cd extensions && npm install --ignore-scripts --omit=dev "${quiet[@]}")
npm rebuild --silent @vscode/spdlog native-watchdog
npm rebuild --silent kerberos || echo "kerberos was not built; only proxies that ask for it need it." >&2
(cd node_modules/node-pty && npm run --silent install) > "$dir/node-pty.log" 2>&1 \
  || (cd node_modules/node-pty && npx --yes node-gyp rebuild) >> "$dir/node-pty.log" 2>&1 \
  || { tail -n 20 "$dir/node-pty.log" >&2; exit 1; }

mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$ripgrep" node_modules/@vscode/ripgrep/bin/rg
ln -sfn node_modules node_modules.asar
ln -sf code-linux.sh bin/remote-cli/code-server
ln -sf browser-linux.sh bin/helpers/browser.sh
find node_modules -path '*/build/Release/obj.target' -prune -exec rm -rf {} +
"$dir/node_modules/.bin/code-server" --version > "$dir/installed"
