// SPDX-License-Identifier: Apache-2.0

import EpitaphELF
import EpitaphSystem
import EpitaphValues

/// A path on this system, or below a root.
struct FilePlace {
    let path: String
    let root: RootDirectory?

    init(_ path: String, in root: RootDirectory? = nil) {
        self.path = path
        self.root = root
    }

    var shown: String {
        guard let root else { return path }
        let top = root.path == "/" ? "" : root.path
        return path.hasPrefix("/") ? top + path : "\(top)/\(path)"
    }

    private static let headBytes = 1 << 16

    /// Opens the ELF file. `expected` returns the wanted build id if the one passed is wrong.
    func open(
        expected: ([UInt8]) -> [UInt8]? = { _ in nil }
    ) throws(ImageProblem) -> LocatedImage {
        var path = shown
        do {
            let bytes: ByteSlice
            var ownerID: UInt32?
            if let root {
                (bytes, path) = try ForeignFile.contents(of: self.path, in: root)
            } else {
                (bytes, ownerID) = try ForeignFile.ownedContents(of: path)
            }
            // Linkers put the build id near the start, so a wrong file is rejected early.
            let head = try? ELFImage(ByteSlice(bytes.slice(from: 0, length: Self.headBytes).array))
            if let id = head?.buildID, !id.isEmpty, let wanted = expected(id) {
                throw ImageProblem.buildIDDiffers(path: path, expected: wanted, found: id)
            }
            return LocatedImage(image: try ELFImage(bytes), path: path, ownerID: ownerID)
        } catch let error as SystemError {
            guard error.isNoSuchFile else {
                throw .unreadable(path: path, reason: error.reasonNotToOpen)
            }
            throw .notFound(path: path)
        } catch let error as ImageProblem {
            throw error
        } catch {
            throw .unreadable(path: path, reason: "\(error)")
        }
    }
}

extension SystemError {
    fileprivate var isNoSuchFile: Bool { errorNumber == 2 || errorNumber == 20 }

    /// EINVAL and EFBIG are from `ForeignFile`.
    fileprivate var reasonNotToOpen: String {
        switch errorNumber {
        case 22: "it is not a regular file of a disk, and is not opened"
        case 27: "it is larger than \(FileBytes.mostBytes >> 30) GiB, and is not opened"
        default: reason
        }
    }
}
