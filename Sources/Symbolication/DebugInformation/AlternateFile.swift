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
    ///
    /// - Parameter known: one that was found elsewhere, perhaps for another file.
    static func find(for debug: LocatedImage, known: LocatedImage?) -> LibdwFile? {
        guard let (name, buildID) = debug.image.alternateLink else { return nil }
        if let known, known.image.buildID == buildID { return try? LibdwFile(known.image) }
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
