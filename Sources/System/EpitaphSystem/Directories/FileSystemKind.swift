// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem

/// File system type: fstatfs(2), linux/magic.h.
struct FileSystemKind: Equatable {
    let magic: UInt32

    init(magic: UInt32) {
        self.magic = magic
    }

    init(of file: FileDescriptor) throws(SystemError) {
        let number = retryingInterrupts { epitaph_file_system_number(file.rawValue) }
        guard number != -1 else { throw .last("fstatfs", file.path) }
        magic = UInt32(truncatingIfNeeded: number)
    }

    /// Whether the kernel generates the files, which may block, never end, or have side effects.
    /// Not network file systems and FUSE, which may store programs.
    var isMadeUp: Bool { Self.madeUp.contains(magic) }

    private static let madeUp: Set<UInt32> = [
        0x9fa0,  // proc
        0x6265_6572,  // sysfs
        0x6462_6720,  // debugfs
        0x7472_6163,  // tracefs
        0x0027_e0eb,  // cgroup
        0x6367_7270,  // cgroup2
        0x1cd1,  // devpts
        0x0187,  // autofs: nothing is mounted there yet
        0x7363_6673,  // securityfs
        0xf97c_ff8c,  // selinuxfs
        0x4341_5d53,  // smackfs
        0x5a3c_69f0,  // apparmorfs
        0xcafe_4a11,  // bpf
        0x6165_676c,  // pstore
        0xde5e_81e4,  // efivarfs
        0x4249_4e4d,  // binfmt_misc
        0x6265_6570,  // configfs
        0x6e73_6673,  // nsfs
        0x0765_5821,  // resctrl
        0x1980_0202,  // mqueue
        0x6573_5543,  // fusectl
        0x6759_6969,  // rpc_pipefs
        0x6e66_7364,  // nfsd
        0xabba_1974,  // xenfs
        0x0bad_1dea,  // futexfs
        0x5049_5045,  // pipefs
        0x534f_434b,  // sockfs
        0x0904_1934,  // anon_inodefs
        0x6c6f_6f70,  // binderfs
    ]
}
