#!/bin/sh
# Installs the companion as a service on Raspberry Pi OS (bookworm, trixie), or on Debian. Safe to run again.
#
#   sudo ./install.sh                 install, or install this version over another one
#   sudo ./install.sh update          the same, for an installed one, which stays if this version does not start
#   sudo ./install.sh uninstall       removes the program; --purge: also the configuration, the games and the user
#
# The program goes to /opt/tabletop-companion, one folder a version; /etc/companion (configuration) and
# /var/lib/companion (games, calibration) are made once and then left as they are.
set -eu
cd "$(dirname "$0")"
. scripts/environment.sh

program=/opt/tabletop-companion
etc=/etc/companion
data=/var/lib/companion
unit=/etc/systemd/system/companion.service
trial=/run/systemd/system.control/companion.service  # goes before $unit, and is gone when the plug was pulled
command=/usr/local/bin/companion
steady_s=5  # a version that still runs after so many seconds has started
space_mb=900
new=""
old=""
export DEBIAN_FRONTEND=noninteractive

say() { echo "install.sh: $*"; }
die() { echo "install.sh: $*" >&2; exit 1; }

check_system() {
    [ "$(id -u)" = 0 ] || die "needs root: sudo ./install.sh $*"
    [ -d /run/systemd/system ] || die "systemd does not run here: this installs a service (try ./demo.sh instead)"
    exec 9>/run/companion-install.lock
    flock -n 9 || die "another install.sh is running"
}

check_space() {
    free_mb=$(($(df -Pk /opt | awk 'NR == 2 { print $4 }') / 1024))
    [ "$free_mb" -ge "$space_mb" ] || die "$free_mb MB are free on the card, $space_mb MB are needed: nothing was changed"
}

there() { dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }

packages() {
    system_packages
    # Of Raspberry Pi OS: they have no wheels that fit, the program sees them beside its own packages.
    if ! there python3-picamera2 || ! there python3-lgpio; then
        apt-get update -qq
    fi
    for package in python3-picamera2 python3-lgpio; do
        if there "$package"; then
            continue
        elif apt-cache policy "$package" | grep -q 'Candidate: [0-9]'; then
            missing "$package"
        elif [ "$package" = python3-picamera2 ]; then
            say "no python3-picamera2 in this system's apt (Raspberry Pi OS has it): only USB cameras will do"
        else
            say "no python3-lgpio in this system's apt (Raspberry Pi OS has it): push buttons will not do"
        fi
    done
    install_missing
}

user() {
    for group in gpio i2c spi video; do
        getent group "$group" >/dev/null || groupadd --system "$group"
    done
    getent group companion >/dev/null || groupadd --system companion
    getent passwd companion >/dev/null ||
        useradd --system --gid companion --home-dir "$data" --no-create-home --shell /usr/sbin/nologin companion
    usermod --append --groups gpio,i2c,spi,video companion
}

folders() {
    install -d -m 755 "$etc" "$program"
    [ -d "$data" ] || install -d -m 750 -o companion -g companion "$data"
    if [ ! -e "$etc/companion.toml" ]; then
        sed -e "s|^profile = \"profile\"  *#.*|profile = \"$data/profile\"|" -e "s|^data = \"data\"  *#.*|data = \"$data\"|" \
            companion/companion.toml > "$etc/.companion.toml.new"
        mv "$etc/.companion.toml.new" "$etc/companion.toml"
    fi
}

i2c() {  # switches the display's bus on, where that can be done
    if command -v raspi-config >/dev/null && [ "$(raspi-config nonint get_i2c)" != 0 ] &&
        ! grep -q '^ *interface *= *"spi"' "$etc/companion.toml"; then
        raspi-config nonint do_i2c 0
        say "I2C was switched on for the display"
    fi
}

build() {  # makes the folder $new with this version
    number=${old##*-}
    new="$program/version-$((${number:-0} + 1))"
    trap tidy EXIT
    trap 'exit 1' HUP INT TERM
    mkdir "$new" "$new/source"
    cp -R companion hardware calibration pyproject.toml README.md LICENSE "$new/source/"
    cp systemd/companion.service "$new/"
    cp README.md "$new/"
    # Debian's picamera2 works with Debian's NumPy only, so that one stays; OpenCV's wheels since 4.12 want NumPy 2.
    numpy=$("$python" -c 'import numpy; print(numpy.__version__)' 2>/dev/null || true)
    case "$numpy" in
        "") cp constraints.txt "$new/" ;;
        1.*) sed -e "s/^numpy==.*/numpy==$numpy/" -e 's/^opencv-python==.*/opencv-python==4.11.0.86/' \
            constraints.txt > "$new/constraints.txt" ;;
        *) sed "s/^numpy==.*/numpy==$numpy/" constraints.txt > "$new/constraints.txt" ;;
    esac
    say "installing into $new (a few minutes on a Pi)"
    "$python" -m venv --system-site-packages "$new/.venv"
    "$new/.venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-warn-script-location \
        --constraint "$new/constraints.txt" "$new/source" || die "pip could not install it: nothing was changed"
    rm -rf "$new/source"
    "$new/.venv/bin/companion" --help >/dev/null || die "this version does not run: nothing was changed"
}

tidy() {  # takes away what was not finished, and what was replaced
    if [ -e "$trial" ]; then
        end_trial
        systemctl restart companion || true
    fi
    for folder in "$program"/version-*; do
        [ "$folder" = "$(readlink "$program/current")" ] || rm -rf "$folder"
    done
}

try_out() {  # lets the service run $new until the next start of the system; what is installed stays as it is
    mkdir -p "${trial%/*}"
    sed "s|$program/current/|$new/|" "$new/companion.service" > "$trial"
    systemctl daemon-reload
}

end_trial() {
    rm -f "$trial"
    systemctl daemon-reload
}

switch_to() {  # makes a version the one that is installed: all of it is on the card before one rename makes it so
    sync -f "$program"
    ln -sfn "$1" "$program/current.new"
    mv -T "$program/current.new" "$program/current"
    sync -f "$program"
    if [ "$(readlink "$unit")" != "$program/current/companion.service" ]; then
        ln -sfn "$program/current/companion.service" "$unit.new"
        mv -T "$unit.new" "$unit"
        sync -f "${unit%/*}"
    fi
    systemctl daemon-reload
}

starts() {  # whether the service starts, and is still the same process after a while
    systemctl reset-failed companion 2>/dev/null || true
    systemctl restart companion || return 1
    process=$(systemctl show -p MainPID --value companion)
    sleep "$steady_s"
    systemctl is-active --quiet companion && [ "$(systemctl show -p MainPID --value companion)" = "$process" ]
}

put_in() {
    tidy
    old=$(readlink "$program/current" || true)
    check_space
    packages
    user
    folders
    i2c
    build
    since=$(date '+%Y-%m-%d %H:%M:%S')
    if [ -x "$old/.venv/bin/companion" ]; then
        try_out
        if ! starts; then
            show_log
            end_trial
            if starts; then
                die "the new version does not start; the old one runs again"
            fi
            die "neither the new version starts nor the old one, which is still installed: sudo companion doctor"
        fi
        switch_to "$new"
        end_trial
    else
        switch_to "$new"
        ln -sfn "$program/current/.venv/bin/companion" "$command"
        systemctl enable --quiet companion
        if ! starts; then
            show_log
            systemctl stop companion || true
            die "installed, but the service does not start: sudo companion doctor, then sudo systemctl restart companion"
        fi
    fi
    say "the companion runs; settings: $etc/companion.toml; is all well? sudo companion doctor"
}

show_log() {
    echo "--- the log of the start:" >&2
    journalctl --unit companion --since "$since" --lines 15 --no-pager --output cat >&2 || true
    echo "---" >&2
}

take_out() {
    systemctl disable --now --quiet companion 2>/dev/null || true
    rm -f "$unit" "$trial" "$command"
    systemctl daemon-reload
    systemctl reset-failed companion 2>/dev/null || true
    rm -rf "$program"
    if [ "$1" = --purge ]; then
        rm -rf "$etc" "$data" /etc/systemd/system/companion.service.d
        ! getent passwd companion >/dev/null || userdel companion
        ! getent group companion >/dev/null || groupdel companion
        say "removed, with configuration, games and user"
    else
        say "removed; configuration ($etc) and games ($data) are kept (--purge removes them, too)"
    fi
}

python="${PYTHON:-python3}"
case "${*:-install}" in
    install) check_system "$*"; put_in ;;
    update) check_system "$*"; [ -e "$program/current" ] || die "not installed yet: sudo ./install.sh"; put_in ;;
    uninstall) check_system "$*"; take_out "" ;;
    "uninstall --purge") check_system "$*"; take_out --purge ;;
    *) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
