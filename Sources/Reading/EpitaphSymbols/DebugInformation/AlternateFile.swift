// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// The file that dwz(1) moved the common parts of several debug files to. Entries that refer to
/// it have no name without it.
struct AlternateFile {
    /// As `.gnu_debugaltlink` has it: a path, which may be relative to the debug file's directory.
    let name: String
    let buildID: [UInt8]
    /// The directory of the debug file.
    private let directory: String

    /// Nil if the file refers to none.
    init?(namedBy debug: LocatedImage) {
        guard let link = debug.image.alternateLink else { return nil }
        name = link.fileName
        buildID = link.buildID
        directory = debug.path.directory
    }

    /// The file, if there is one with that build id.
    var located: LocatedImage? {
        for path in paths {
            guard let bytes = try? ForeignFile.contents(of: path),
                let image = try? ELFImage(bytes), image.buildID == buildID
            else { continue }
            return LocatedImage(image: image, path: path)
        }
        return nil
    }

    /// The file opened; nil if there is none that can be.
    ///
    /// - Parameter known: one that was found elsewhere, perhaps for another file.
    static func find(for debug: LocatedImage, known: LocatedImage?) -> LibdwFile? {
        guard let wanted = AlternateFile(namedBy: debug) else { return nil }
        let usable = known.flatMap { $0.image.buildID == wanted.buildID ? $0 : nil }
        return (usable ?? wanted.located).flatMap { try? LibdwFile($0.image) }
    }

    private var paths: [String] {
        let own = (buildID.buildIDPath ?? buildID.hexDigits) + ".debug"
        let named = name.hasPrefix("/") ? name : directory + "/" + name
        // A debug file that is kept by its build id has the other one beside it.
        let above = directory.directory
        let beside = above.hasSuffix("/.build-id") ? [above + "/" + own] : []
        return [named] + beside + ["/usr/lib/debug/.build-id/" + own]
    }
}

extension String {
    /// All of a path before its last component; `.` for a bare name.
    var directory: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return String(self[..<slash])
    }
}
