// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

/// The separate debug file that a file names in `.gnu_debuglink`. GDB manual, Separate Debug Files.
struct DebugLink {
    private let fileName: String?
    private let directory: String

    init(of file: LocatedImage) {
        fileName = file.image.debugLink?.fileName
        directory = file.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
    }

    /// Where the debug file may be, in gdb's order of search.
    func paths(_ symbolDirectories: [String]) -> [String] {
        guard let fileName else { return [] }
        return [
            "\(directory)/\(fileName)", "\(directory)/.debug/\(fileName)",
            "/usr/lib/debug\(directory)/\(fileName)",
        ] + symbolDirectories.map { "\($0)/\(fileName)" }
    }

    /// The file at `path`, if it has the checksum that `image` records: without a build id there is
    /// no other evidence.
    static func load(_ path: String, for image: ELFImage) -> LocatedImage? {
        guard let checksum = image.debugLink?.checksum,
            let bytes = try? ForeignFile.contents(of: path),
            bytes.debugLinkChecksum == checksum, let debug = try? ELFImage(bytes)
        else { return nil }
        return LocatedImage(image: debug, path: path)
    }
}
