# SPDX-License-Identifier: Apache-2.0
# Memory that runs out in a control group of version 2, with what Epitaph makes of it.
. /lab/say.sh

check "install" bash -ec "$(cat steps/install)"
install -m 755 /lab/daemon /usr/local/bin/shopd
check "control groups are of version 2" prints cgroup2fs stat -f -c %T /sys/fs/cgroup
check "the kernel has pressure stall information" prints 'some avg10' cat /proc/pressure/memory
cat >/etc/systemd/system/shopd.service <<'END'
[Service]
ExecStart=/usr/local/bin/shopd 400
DynamicUser=yes
MemoryMax=100M
MemorySwapMax=0
END
bash -ec "$(sed 's/nginx/shopd/g' steps/drop-in)" >/run/output 2>&1
check "the service starts" eventually prints 'covered: its dump' epitaph covered shopd
killed=$(systemctl show -P MainPID shopd)
systemctl kill -s USR2 shopd
check "systemd says that memory ran out" eventually prints 'oom-kill' systemctl show -P Result shopd
check "the kernel names the process" eventually prints "Killed process $killed" journalctl -k
# How the process that was killed last ended, by the history of launches.
end() {
    python3 - "$killed" <<'END'
import json, sys
launches = json.load(open("/var/lib/epitaph/shopd/launches/shopd.json"))["launches"]
print([launch for launch in launches if launch["pid"] == int(sys.argv[1])])
END
}
check "the service notes the end" eventually prints "'end': 'out-of-memory'" end
check "as a guess, since it may not read the kernel's log" prints "'certain': False" end
check "in the journal as well" prints 'memory' journalctl -o cat -t epitaph MESSAGE_ID=a42f9d69e2e04c50a2f536529162d49e

# The same by hand, as root, who may read the kernel's log.
systemctl stop epitaph
systemctl restart shopd
check "the service starts again" eventually prints 'covered: its dump' epitaph covered shopd
killed=$(systemctl show -P MainPID shopd)
systemctl kill -s USR2 shopd
check "the process is killed" eventually prints "Killed process $killed" journalctl -k
check "by hand the end is certain" prints 'for want of memory' dump-convert process --database /var/lib/epitaph/shopd
check "in the history, too" prints "'certain': True.*'end': 'out-of-memory'" end
check "no report is made of a death without a dump" bash -c '! dump-convert list --database /var/lib/epitaph/shopd | grep shopd'

# The machine itself, without a limit of the unit's.
sed -i '/^Memory/d; s/shopd 400/shopd 4000/' /etc/systemd/system/shopd.service
systemctl daemon-reload
systemctl start epitaph
systemctl restart shopd
check "the service starts without a limit" eventually prints 'covered: its dump' epitaph covered shopd
killed=$(systemctl show -P MainPID shopd)
systemctl kill -s USR2 shopd
check "the machine's memory runs out, and the kernel kills it" eventually prints "Killed process $killed" journalctl -k
check "the service lives" eventually systemctl is-active epitaph
check "and notes the end" eventually prints "'end': 'out-of-memory'" end
systemctl restart shopd
check "the program starts again" eventually prints 'covered: its dump' epitaph covered shopd
check "and crashes" systemctl kill -s USR1 shopd
check "of which the report is complete" eventually prints 'the report is complete' dump-convert show --database /var/lib/epitaph/shopd
finish
