// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

package struct NamedFiles {
    package private(set) var paths: [String] = []
    /// Unreadable directories and an exceeded limit, as sentences without a full stop.
    package private(set) var problems: [String] = []

    private static let fileLimit = 200_000
    private static let depthLimit = 64

    package init(_ path: String) throws(SystemError) {
        let real = try realPath(of: path)
        guard (try? Directory(opening: real)) != nil else {
            paths = [real]
            return
        }
        search(real)
    }

    /// Does not follow symbolic links: their targets are found elsewhere or not meant.
    private mutating func search(_ top: String) {
        var waiting = [(path: top, depth: 0)]
        var left = Self.fileLimit
        while let (path, depth) = waiting.popLast() {
            guard left > 0 else {
                problems.append(
                    "\(top) has more than \(Self.fileLimit) files; the rest was left out")
                return
            }
            do {
                let directory = try Directory(opening: path)
                for name in try directory.list().names.sorted(by: >) {
                    left -= 1
                    let below = path + "/" + name
                    switch try? directory.status(of: name)?.kind {
                    case .directory where depth < Self.depthLimit:
                        waiting.append((below, depth + 1))
                    case .directory: problems.append("\(below) is too deep and was left out")
                    case .regular where Self.isLoadable(below): paths.append(below)
                    default: break
                    }
                }
            } catch {
                problems.append("\(path) cannot be read: \(error.reason)")
            }
        }
        paths.sort()
    }

    /// By magic and type, elf(5): ET_EXEC 2, ET_DYN 3. Scripts and object files are not part of a
    /// release; `.dwo` files come with the file that names them.
    private static func isLoadable(_ path: String) -> Bool {
        guard let file = try? ForeignFile.open(path, followsLink: false),
            let head = try? file.readAll(limit: 18), head.count == 18
        else { return false }
        return head[..<4] == [0x7f, 0x45, 0x4c, 0x46] && [2, 3].contains(head[16]) && head[17] == 0
    }
}
