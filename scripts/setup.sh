#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building and testing firth takes, and only what is missing: Debian packages by apt
# and the pinned Python packages in .venv. Running it again costs a fraction of a second.
#
#   scripts/setup.sh [build|fuzz|fmt|docs]...    what the packages are for; default: build
set -euo pipefail
cd "$(dirname "$0")/.."

packages_for() {
  case "$1" in
    build)
      echo g++ make cmake ninja-build ccache unzip \
        nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev libxxhash-dev libicu-dev \
        libstemmer-dev zlib1g-dev libdeflate-dev libcurl4-openssl-dev libgtest-dev libgmock-dev libbenchmark-dev
      ;;
    fuzz) echo clang libclang-rt-14-dev ;;
    fmt) echo clang-format ;;
    docs) echo doxygen ;;
    *)
      echo "setup: unknown purpose '$1'; known: build fuzz fmt docs" >&2
      exit 2
      ;;
  esac
}

# The Python that .venv is made from, its venv module and the headers that an extension needs.
python_packages() {
  local check='import sys, sysconfig, os, venv, ensurepip
assert sys.version_info >= (3, 11)
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))'
  python3 -c "$check" 2>/dev/null || echo python3 python3-venv python3-dev
}

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

install_packages() {
  local wanted=("$@") missing=() name
  if ! command -v dpkg-query >/dev/null; then
    echo "setup: not a Debian system; these packages, by their Debian names, must be there:" \
      "${wanted[*]}" >&2
    return
  fi
  for name in "${wanted[@]}"; do
    is_installed "$name" || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "setup: installing ${missing[*]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "setup: not root and no sudo; as root: apt-get install ${missing[*]}" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update -q
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# .venv/.firth-setup holds the hash of the pinned lists that were installed last.
install_python() {
  local lists=(requirements.txt requirements-dev.txt) stamp=.venv/.firth-setup wanted
  wanted=$(cat "${lists[@]}" scripts/setup.sh | sha256sum | cut -d' ' -f1)
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && [ -x .venv/bin/python ] && return
  [ -x .venv/bin/python ] || python3 -m venv .venv
  echo "setup: installing the Python packages of ${lists[*]} into .venv"
  .venv/bin/python -m pip install -q --disable-pip-version-check --require-hashes \
    --only-binary :all: -r "${lists[0]}" -r "${lists[1]}"
  # `import firth` in .venv finds what `make build` leaves in build/python.
  local site
  site=$(.venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
  echo "$PWD/build/python" >"$site/firth-build-tree.pth"
  echo "$wanted" >"$stamp"
}

purposes=("$@")
[ $# -gt 0 ] || purposes=(build)
packages=()
for purpose in "${purposes[@]}"; do
  read -ra found <<<"$(packages_for "$purpose")"
  packages+=("${found[@]}")
done
read -ra found <<<"$(python_packages)"
install_packages "${packages[@]}" "${found[@]}"
install_python
