// SPDX-License-Identifier: Apache-2.0

import Bytes
import ELFImage
import LinuxSystem
import StackUnwinding

/// The file into which dwz(1) moved what several debug files have in common. Entries that refer to
/// it have no name without it.
enum AlternateFile {
    /// The file that `.gnu_debugaltlink` names with a path and a build id; nil if there is none
    /// with that build id.
    static func find(for debug: LocatedImage) -> LibdwFile? {
        guard let section = debug.image.section(named: ".gnu_debugaltlink") else { return nil }
        // PATH_MAX and the longest build id.
        let parts = debug.image.contents(of: section).slice(from: 0, length: 4_096 + 64).array
            .split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[1].count > 1 else { return nil }
        let name = String(decoding: parts[0], as: UTF8.self)
        let buildID = Array(parts[1])
        let digits = buildID.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }
        let installed =
            "/usr/lib/debug/.build-id/\(digits[0])/\(digits.dropFirst().joined()).debug"
        let named = name.hasPrefix("/") ? name : debug.path.directory + "/" + name
        for path in [named, installed] {
            guard let bytes = try? ForeignFile.contents(of: path),
                let image = try? ELFImage(bytes),
                image.buildID == buildID, let file = try? LibdwFile(image)
            else { continue }
            return file
        }
        return nil
    }
}

extension String {
    /// All of a path before its last component; `.` for a bare name.
    var directory: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return String(self[..<slash])
    }
}
