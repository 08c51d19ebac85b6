#!/bin/sh
# usage, in new namespaces (see frame.py): enter.sh ROOT COMMAND...   runs a command in the root
#                                          enter.sh ROOT --boot NAME  makes systemd its PID 1, in a cgroup NAME
# The root gets device nodes of its own, never the machine's: what goes wrong in there must not get out.
set -eu
root=$1
shift
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mkdir -p proc sys dev run tmp
chmod 1777 tmp
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs dev
mount -t tmpfs -o mode=755 tmpfs run
mkdir dev/pts dev/shm run/lock
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mknod -m 666 dev/null c 1 3
mknod -m 666 dev/zero c 1 5
mknod -m 666 dev/full c 1 7
mknod -m 666 dev/random c 1 8
mknod -m 666 dev/urandom c 1 9
mknod -m 666 dev/tty c 5 0
if [ "$1" != --boot ]; then
    exec chroot . "$@"
fi
# systemd takes the whole cgroup tree that it sees for its own: show it one branch.
mount -t cgroup2 cgroup2 sys/fs/cgroup
mkdir -p "sys/fs/cgroup/$2"
echo 0 > "sys/fs/cgroup/$2/cgroup.procs"
umount sys/fs/cgroup
# shellcheck disable=SC2016 # the inner shell's
exec unshare --cgroup sh -euc '
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    hostname rig
    # A chroot would make systemd leave out its sandboxing of services.
    pivot_root . .
    umount -l /
    exec env -i container=rig PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=console
'
