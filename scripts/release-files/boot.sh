# shellcheck shell=bash
# Boots systemd in a root file system: boot.sh ROOT. Runs as the first process of new PID, mount and cgroup namespaces.
set -euo pipefail
cd "$1"
mount --bind . .
cd "$1"
mount -t proc proc proc
# The host shares the kernel's settings.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do
    # shellcheck disable=SC2046 # two numbers
    mknod -m 666 "dev/$device" c $(stat --format '%Hr %Lr' "/dev/$device")
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
# A separate node, because systemd changes its owner.
mknod -m 600 dev/console c 1 3
mkdir -p old
pivot_root . old
umount --lazy old
# systemd mounts credentials in a namespace from which they must propagate.
mount --make-rshared /
exec env --ignore-environment container=namespace /lib/systemd/systemd --unit=multi-user.target
