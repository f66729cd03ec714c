# SPDX-License-Identifier: Apache-2.0
# A first-time operator: packages, an unmodified service with DynamicUser=, a crash, and the two words that explain it.
. /lab/say.sh

began=$SECONDS
install -m 755 /lab/daemon /usr/local/bin/shopd
cat >/etc/systemd/system/shopd.service <<'END'
[Service]
ExecStart=/usr/local/bin/shopd
DynamicUser=yes
Restart=on-failure
RestartSec=1
END
check "the packages are installed" bash -ec "$(cat steps/install)"
check "the service runs" eventually systemctl is-active epitaph
systemctl start shopd
bash -ec "$(sed 's/nginx/shopd/g' steps/drop-in)" >/run/output 2>&1
check "the unmodified service starts with the drop-in" eventually systemctl is-active shopd
check "and will leave a report" eventually prints 'shopd' epitaph covered shopd
crashed=$(systemctl show -P MainPID shopd)
systemctl kill -s USR1 shopd
check "the service is started again" eventually prints '^[1-9]' bash -c "pid=\$(systemctl show -P MainPID shopd); [ \$pid != $crashed ] && echo \$pid"
check "the journal has the report" eventually prints 'EPITAPH_REPORT_ID=' journalctl -o export MESSAGE_ID=dbde54437f2d44939ed68b426685a66a
check "epitaph lists the crash" prints 'SIGSEGV.*/usr/local/bin/shopd' epitaph
check "epitaph show tells where" prints '#0 .*parse_header' epitaph show
check "and from where" prints '#1 .*serve_request' epitaph show
check "and that nothing is missing" prints 'the report is complete' epitaph show
check "nobody else can read the report" prints "^700 $(stat -c %u /var/lib/private/epitaph/shopd)\$" stat -c "%a %u" /var/lib/private/epitaph/shopd/pending
say "figure: $((SECONDS - began)) s from the packages to epitaph show"
finish
