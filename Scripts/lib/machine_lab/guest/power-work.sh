# SPDX-License-Identifier: Apache-2.0
# Works on a database until the power is cut: crashes, conversions, uploads, removals, logs.
. /lab/say.sh
. /lab/settings
disk=/dev/disk/by-id/virtio-lab-power
case $file_system in
    ext4) mkfs.ext4 -q -E nodiscard $disk $((bytes / 1024)) ;;
    xfs) mkfs.xfs -q -K -d size=$bytes $disk ;;
    btrfs) mkfs.btrfs -q -K -b $bytes $disk ;;
esac
mkdir /lab/data
mount -t $file_system $disk /lab/data
mkdir -p /lab/data/work/db
for package in /lab/epitaph_*.deb /lab/epitaph-preload_*.deb; do dpkg-deb -x $package /lab/epitaph; done
export PATH=/lab/epitaph/usr/bin:$PATH
python3 /lab/collector.py 8080 /run/received 3>&- &
sleep 1
say "figure: $file_system with $(uname -r)"
exec python3 /lab/power_work.py $disk $bytes
