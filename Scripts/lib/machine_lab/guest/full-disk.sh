# SPDX-License-Identifier: Apache-2.0
# The disk with the reports is full: programs run and die as without Epitaph, nothing is lost that there was room for, and
# what waits is done when there is room again.
. /lab/say.sh

disk=/dev/disk/by-id/virtio-lab-small
mkfs.ext4 -q $disk
mkdir -p /var/lib/epitaph
mount $disk /var/lib/epitaph
check "install" bash -ec "$(cat steps/install)"
printf 'sweep_interval = 10\n' >/etc/epitaph/epitaph.conf.d/soon.conf
systemctl restart epitaph
check "the service runs" eventually systemctl is-active epitaph
install -m 755 /lab/daemon /usr/local/bin/shopd
printf '[Service]\nExecStart=/usr/local/bin/shopd\n' >/etc/systemd/system/shopd.service
bash -ec "$(sed 's/nginx/shopd/g' steps/drop-in)" >/run/output 2>&1
database=/var/lib/epitaph/shopd
reports() { dump-convert list --database $database 2>/dev/null | grep -c SIGSEGV; }
have() { [ "$(reports)" = "$1" ]; }
fill() {
    dd if=/dev/zero of=/var/lib/epitaph/ballast bs=64k 2>/dev/null
    dd if=/dev/zero of=/var/lib/epitaph/ballast2 bs=512 2>/dev/null
    ! dd if=/dev/zero of=/var/lib/epitaph/ballast3 bs=4k count=1 2>/dev/null
}
empty() { rm -f /var/lib/epitaph/ballast*; }
covered() { epitaph covered shopd | grep 'covered: its dump'; }
died() { [ "$(systemctl show -P Result shopd)" = core-dump ] || [ "$(systemctl show -P Result shopd)" = signal ]; }
crash() { systemctl kill -s USR1 shopd && eventually died; }

check "the service is covered" eventually covered
check "the disk fills up" fill
check "a covered program crashes, and dies of it" crash
check "the service lives" prints '^active$' systemctl is-active epitaph
# The dump's own room was taken when the program started.
waits() { find $database/pending-dumps -name 'shopd@*' ! -name '*.locked' | grep .; }
check "its dump is there" bash -c "$(declare -f waits reports have); database=$database; waits || have 1"
systemctl restart shopd
check "a program starts although there is no room" eventually prints '^active$' systemctl is-active shopd
check "and dies as without Epitaph" crash
check "and the service lives" prints '^active$' systemctl is-active epitaph
check "the service says what is the matter" eventually prints 'No space left' journalctl -o cat -t epitaph
check "list works" dump-convert list --database $database
empty
# One of the second crash, too, if there was room for its dump after all.
have_some() { [ "$(reports)" -ge 1 ]; }
check "with room again the report of the first crash is made" eventually have_some
if waits; then eventually have 2 >/dev/null || true; fi
before=$(reports)
say "figure: $before reports of two crashes with a full disk"
check "and is complete" prints 'the report is complete' dump-convert show --database $database
systemctl restart shopd
check "the program is covered again" eventually covered
check "it crashes" crash
check "and has its report" eventually have $((before + 1))
check "nothing was put aside" bash -c "! ls -A $database/quarantine 2>/dev/null | grep ."
check "nothing is left in new" bash -c "! ls -A $database/new | grep ."
check "the file system is right" bash -c "systemctl stop epitaph shopd; umount /var/lib/epitaph && e2fsck -fn $disk"
finish
