// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues

/// The file that dwz(1) moved common parts to. Without it, entries that refer to it are nameless.
struct AlternateFile {
    /// From `.gnu_debugaltlink`: a path, perhaps relative to the debug file's directory.
    let name: String
    let buildID: [UInt8]
    private let directory: String

    init?(namedBy debug: LocatedImage) {
        guard let link = debug.image.alternateLink else { return nil }
        name = link.fileName
        buildID = link.buildID
        directory = debug.path.parentPath
    }

    /// Nil if no file has that build id.
    var located: LocatedImage? {
        for path in paths {
            guard let bytes = try? ForeignFile.contents(of: path),
                let image = try? ELFImage(bytes), image.buildID == buildID
            else { continue }
            return LocatedImage(image: image, path: path)
        }
        return nil
    }

    /// Nil if it cannot be opened. `known` was found before, perhaps for another debug file.
    static func find(for debug: LocatedImage, known: LocatedImage?) -> LibdwFile? {
        guard let wanted = AlternateFile(namedBy: debug) else { return nil }
        let usable = known.flatMap { $0.image.buildID == wanted.buildID ? $0 : nil }
        return (usable ?? wanted.located).flatMap { try? LibdwFile($0.image) }
    }

    private var paths: [String] {
        let own = (buildID.buildIDPath ?? buildID.hexDigits) + ".debug"
        let named = name.hasPrefix("/") ? name : directory + "/" + name
        // A debug file in a build-id directory has the other one beside it.
        let above = directory.parentPath
        let beside = above.hasSuffix("/.build-id") ? [above + "/" + own] : []
        return [named] + beside + ["/usr/lib/debug/.build-id/" + own]
    }
}
