# SPDX-License-Identifier: Apache-2.0
# A machine whose clock is wrong when it starts, is set later, jumps far ahead, and is set back. No report may go for that,
# and each has its place.
. /lab/say.sh

# Not before the day on which systemd was built, systemd(1).
check "the clock is wrong at the start" bash -c '[ "$(date +%Y)" -lt 2027 ]'
check "install" bash -ec "$(cat steps/install)"
check "the service runs" eventually systemctl is-active epitaph
service=$(systemctl show -P MainPID epitaph)

database=/var/lib/epitaph/shopd
reports() { dump-convert list --database $database 2>/dev/null | grep -c SIGSEGV; }
have() { [ "$(reports)" = "$1" ]; }
crash() { dump-convert run --database $database -- /lab/daemon now; [ $? -gt 128 ]; }
years() { dump-convert list --database $database | awk '/SIGSEGV/ { print substr($2, 1, 4) }' | tr '\n' ' '; }

check "a program crashes under the wrong clock" crash
check "and its report is there" eventually have 1
first=$(date +%Y)
date -s '2028-03-01 02:00:00' >/dev/null
check "the clock is set, and a program crashes" crash
check "both reports are there" eventually have 2
check "nothing is too old just after the clock was set" prints 'the time of day has jumped' dump-convert prune --database $database --max-age 1
check "and nothing is gone" have 2
date -s '2040-01-01 00:00:00' >/dev/null
check "the clock jumps 12 years ahead, and a program crashes" crash
check "its report is there" eventually have 3
check "the service removed nothing for its age" have 3
check "nor does prune" bash -c "dump-convert prune --database $database --max-age 90; $(declare -f reports have); database=$database; have 3"
date -s '2028-03-01 03:00:00' >/dev/null
check "the clock is set back, and a program crashes" crash
check "all reports are there" eventually have 4
check "in the order of their crashes" prints "^$first 2028 2028 2040 $" years
check "latest is the one of the latest time" dump-convert show --database $database latest
check "launches are kept" bash -c "python3 -c 'import json; assert len(json.load(open(\"$database/launches/daemon.json\"))[\"launches\"]) == 4'"
check "the service is the same process" test "$service" = "$(systemctl show -P MainPID epitaph)"
check "and was not restarted" prints '^0$' systemctl show -P NRestarts epitaph
finish
