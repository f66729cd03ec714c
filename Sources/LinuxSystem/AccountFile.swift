// SPDX-License-Identifier: Apache-2.0

/// /etc/passwd, passwd(5). Not by getpwuid_r(3), which loads whatever nsswitch.conf(5) names and may
/// ask the network.
struct AccountFile {
    private let lines: [ArraySlice<UInt8>]

    init(path: String = "/etc/passwd") {
        let bytes = (try? FileDescriptor.openForReading(path).readAll(limit: 1 << 22)) ?? []
        lines = bytes.split(separator: UInt8(ascii: "\n"))
    }

    /// The first group of a user; nil for one that is not in the file.
    func group(of userID: UInt32) -> UInt32? {
        for line in lines {
            let fields = line.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard fields.count >= 4, UInt32(String(decoding: fields[2], as: UTF8.self)) == userID
            else { continue }
            return UInt32(String(decoding: fields[3], as: UTF8.self))
        }
        return nil
    }
}
