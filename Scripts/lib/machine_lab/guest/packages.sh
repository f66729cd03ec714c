# SPDX-License-Identifier: Apache-2.0
# docs/operators.md word by word, under systemd; the unit with its filters, its watchdog and its entries in the journal; and
# what purging leaves.
. /lab/say.sh

files() {
    (cd / && find etc usr var/lib lib/systemd -xdev \( -path var/lib/dpkg -o -path var/lib/apt -o -path var/lib/systemd \) -prune \
        -o -printf '%y %m %u %g %p\n' | LC_ALL=C sort)
}
step() { bash -ec "$(cat "steps/$1")"; }
main_pid() { systemctl show -P MainPID epitaph; }
reports() { dump-convert list --database "$1" 2>/dev/null | grep -c "$2"; }

# As systemd has it, and other units may need it.
check "/var/lib/private is there before" test -d /var/lib/private
files >/run/before

check "install" step install
check "the service runs" eventually systemctl is-active epitaph
check "config check and show" step check
check "nothing of the unit is unknown to this systemd" bash -c '! journalctl -u epitaph -u init.scope | grep -iE "unknown (key|section|lvalue)|failed to parse"'
check "systemd-analyze verifies the units" systemd-analyze verify --man=no epitaph.service epitaph-once.service epitaph-once.timer epitaph-once@sleep.path

(step run) >/run/run.log 2>&1 3>&- &
check "a program runs with capture" eventually pgrep -x sleep
sleep 2
kill -SEGV "$(pgrep -x sleep)"
check "the service makes a report" eventually prints SIGSEGV dump-convert list --database /var/lib/epitaph/sleep
check "once more by hand" step once
check "read" prints 'SIGSEGV' step read
check "show explains" prints '#0' epitaph show

nginx_ready() { [ "$(systemctl show -P MainPID nginx)" != 0 ] && epitaph covered nginx; }
check "nginx starts" systemctl start nginx
check "the drop-in" step drop-in
check "nginx is covered" eventually nginx_ready
crash_nginx() { systemctl restart nginx && eventually nginx_ready && kill -SEGV "$(cat /run/nginx.pid)"; }
check "and crashes" crash_nginx
check "its crash is a report" eventually prints 'SIGSEGV.*nginx' dump-convert list --database /var/lib/epitaph/nginx

python3 /lab/collector.py 8080 /run/received 3>&- &
check "configure" step configure
check "reload" systemctl reload epitaph
sent() { dump-convert list --database /var/lib/epitaph/sleep | grep ' sent '; }
check "the report is sent" eventually sent
check "send once by hand" step send
check "what came is a minidump" prints MDMP head -c 4 /run/received/0
check "the journal has an entry for each report" prints 2 bash -c \
    'journalctl -t epitaph MESSAGE_ID=dbde54437f2d44939ed68b426685a66a -o cat | wc -l'
check "with the program" prints '^EPITAPH_PROGRAM=nginx' journalctl -o export -t epitaph
check "and the sending" prints . journalctl -o cat -t epitaph MESSAGE_ID=78e751c16a124e31a0625ed61c20e71e

# The unit's filters: what they refuse returns EPERM, and nothing that the service needs is among it.
check "no call was refused with a signal" bash -c '! journalctl -k | grep type=1326'
check "the service has its capabilities alone" prints '^CapBnd:\s*00000000000000dd$' grep CapBnd "/proc/$(main_pid)/status"
check "and one filter or more" prints '^Seccomp:\s*2' grep Seccomp: "/proc/$(main_pid)/status"

mkdir -p /run/systemd/system/epitaph.service.d
printf '[Service]\nWatchdogSec=5\nRestartSec=1\n' >/run/systemd/system/epitaph.service.d/soon.conf
systemctl daemon-reload
systemctl restart epitaph
stopped=$(main_pid)
sleep 12
check "the watchdog leaves a service that works alone" test "$stopped" = "$(main_pid)"
kill -STOP "$stopped"
restarted() { local now; now=$(main_pid); [ "$now" != 0 ] && [ "$now" != "$stopped" ] && systemctl is-active epitaph; }
check "and replaces one that does not" eventually restarted
check "which the journal says" prints 'Watchdog timeout' journalctl -u epitaph
rm -r /run/systemd/system/epitaph.service.d
systemctl daemon-reload

systemctl stop epitaph
check "the path unit starts" systemctl enable --now epitaph-once@nginx.path
by_path() { [ "$(reports /var/lib/epitaph/nginx SIGSEGV)" = 2 ]; }
check "nginx crashes again" crash_nginx
check "and the path unit sees to the report" eventually by_path
check "the once service succeeded" prints '^success$' systemctl show -P Result epitaph-once.service
systemctl disable --now epitaph-once@nginx.path
check "the timer starts" systemctl start epitaph-once.timer
systemctl stop epitaph-once.timer
check "the service starts again" systemctl start epitaph

since=$(date +%s)
check "remove" step remove
check "nginx starts without the library" systemctl restart nginx
check "and without a word of it" bash -c "! journalctl --since @$since | grep -i 'preload'"
rm -r /etc/systemd/system/nginx.service.d
files >/run/after
check "purging left the machine as it was" bash -c \
    "! diff /run/before /run/after | grep -E '^[<>]' | grep -vE ' etc/(group|gshadow|subgid|subuid)-?$| etc/systemd/system$|var/lib/(nginx|private$)|nginx'"
check "/var/lib/private is still there" test -d /var/lib/private
finish
