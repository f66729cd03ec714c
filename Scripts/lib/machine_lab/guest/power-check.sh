# SPDX-License-Identifier: Apache-2.0
# After the next boot: each disk as a power cut left it is mounted, and what is on it has to be as docs/database.md promises.
. /lab/say.sh
dpkg-deb -x /lab/epitaph_*.deb /lab/epitaph
export PATH=/lab/epitaph/usr/bin:$PATH
python3 /lab/collector.py 8080 /run/received 3>&- &
# The cut can take the owner from a report's lock, and one without an owner counts for two minutes (docs/database.md).
date -s '+3 minutes' >/dev/null
mkdir -p /lab/data /lab/copies
mount -t tmpfs -o size=80% tmpfs /lab/copies
python3 /lab/power_check.py /dev/disk/by-id/virtio-lab-cuts || failures=$?
finish
