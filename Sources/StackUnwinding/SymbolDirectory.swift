// SPDX-License-Identifier: Apache-2.0

import Bytes
import ELFImage
import LinuxSystem
import Snapshot

/// The ELF files below a directory given by the user, by build id, whatever their names. Read once,
/// when it is first needed.
final class SymbolDirectory {
    /// A directory tree may be a whole file system, or contain itself.
    private static let fileLimit = 20_000
    private static let depthLimit = 6
    /// Linkers put the note right behind the headers, so the rest of a file of gigabytes is not
    /// read.
    private static let headBytes = 1 << 16

    let path: String
    private lazy var files = index()

    init(_ path: String) {
        self.path = path
    }

    /// The paths of all files whose build id is that of `module`, in the order of their names.
    func files(of module: ModuleSnapshot) -> [String] {
        files.filter { module.isBuild($0.buildID) }.map(\.path)
    }

    private func index() -> [(buildID: [UInt8], path: String)] {
        var found: [(buildID: [UInt8], path: String)] = []
        var waiting = [(path: path, depth: 0)]
        var filesLeft = Self.fileLimit
        while let (path, depth) = waiting.popLast(), filesLeft > 0 {
            guard let names = try? Directory(opening: path).list(limit: filesLeft).names else {
                filesLeft -= 1
                if let buildID = Self.buildID(ofFile: path) {
                    found.append((buildID, path))
                }
                continue
            }
            guard depth < Self.depthLimit else { continue }
            waiting += names.sorted(by: >).map { ("\(path)/\($0)", depth + 1) }
        }
        return found
    }

    private static func buildID(ofFile path: String) -> [UInt8]? {
        guard let file = try? ForeignFile.open(path, followsLink: false),
            let head = try? file.readAll(limit: headBytes),
            let image = try? ELFImage(ByteSlice(head)), !image.buildID.isEmpty
        else { return nil }
        return image.buildID
    }
}
