# shellcheck shell=sh
# Sourced by demo.sh and test.sh: makes the project's own virtual environment in .venv and keeps it up to date.
# usage: environment EXTRA..., for example: environment dev

apt_packages=""

missing() {  # a Debian package that something below needs
    apt_packages="$apt_packages $1"
}

install_missing() {
    [ -n "$apt_packages" ] || return 0
    echo "Debian packages needed:$apt_packages" >&2
    if [ "$(id -u)" = 0 ]; then as_root=""; elif command -v sudo >/dev/null; then as_root="sudo"; else as_root="none"; fi
    if [ "$as_root" = none ] || ! command -v apt-get >/dev/null; then
        echo "please install them: apt-get install$apt_packages" >&2
        exit 1
    fi
    $as_root apt-get update -qq
    # shellcheck disable=SC2086 # a list of words on purpose
    $as_root apt-get install -qq -y --no-install-recommends $apt_packages >/dev/null
    apt_packages=""
}

system_packages() {  # finds out what Python is there and which Debian packages are missing
    python="${PYTHON:-python3}"
    if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        echo "Python 3.11 or newer is needed; set PYTHON to one" >&2
        exit 1
    fi
    "$python" -c 'import ensurepip, venv' 2>/dev/null || missing python3-venv
    # The wheel of opencv-python has windows, which we never open, and so loads these two.
    libraries=$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null)
    case "$libraries" in *libGL.so.1*) ;; *) missing libgl1 ;; esac
    case "$libraries" in *libgthread-2.0.so.0*) ;; *) missing libglib2.0-0 ;; esac
}

environment() {
    system_packages
    install_missing
    [ -x .venv/bin/python ] || "$python" -m venv .venv
    wanted=$(cat pyproject.toml constraints.txt scripts/environment.sh; echo "$*"; pwd)
    wanted=$(printf '%s' "$wanted" | cksum)
    if [ "$(cat .venv/installed 2>/dev/null)" != "$wanted" ]; then
        echo "setting up .venv (once)" >&2
        for extra in "" "$@"; do
            .venv/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
                --editable ".${extra:+[$extra]}"
        done
        printf '%s' "$wanted" > .venv/installed
    fi
}
