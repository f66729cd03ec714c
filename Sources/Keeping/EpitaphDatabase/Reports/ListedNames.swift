// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// What a name in `pending/` or `completed/` says.
enum PieceName {
    case minidump(Epitaph.ID)
    case metadata(Epitaph.ID)
    case lock(Epitaph.ID)
    case ofReport
    case foreign

    init(_ name: String) {
        guard let end = name.utf8.lastIndex(of: UInt8(ascii: ".")),
            let id = Epitaph.ID(fileStem: name[..<end])
        else {
            self = .foreign
            return
        }
        self =
            switch name[end...] {
            case ".dmp": .minidump(id)
            case ".meta": .metadata(id)
            case ".lock": .lock(id)
            default: .ofReport
            }
    }
}

/// The names of `pending/` or `completed/`, read one by one: the memory is for the ids alone.
struct ListedNames {
    let minidumps: SortedIDs
    /// Of metadata that the listing itself calls regular files.
    let metadataFiles: SortedIDs
    let locks: SortedIDs
    let problems: [ReportProblem]

    init(of directory: Directory) throws(SystemError) {
        var minidumps: [Epitaph.ID] = []
        var files: [Epitaph.ID] = []
        var unsure: [Epitaph.ID] = []
        var locks: [Epitaph.ID] = []
        var foreign: Set<String> = []
        try directory.forEachName { name, isFile in
            switch PieceName(name) {
            case .minidump(let id): minidumps.append(id)
            case .metadata(let id): isFile ? files.append(id) : unsure.append(id)
            case .lock(let id): locks.append(id)
            case .ofReport: break
            case .foreign: foreign.insert(name)
            }
        }
        self.minidumps = SortedIDs(minidumps)
        metadataFiles = SortedIDs(files)
        self.locks = SortedIDs(locks)
        let known = (self.minidumps, self.locks)
        let alone = (files + unsure).filter { !known.0.contains($0) && !known.1.contains($0) }
        problems =
            Self.problem(
                "a report's name is <uuid>.dmp in lower case",
                of: foreign.filter { $0.hasSuffix(".dmp") }, in: directory)
            + Self.problem(
                "metadata without a report",
                of: Set(alone.map(\.metadataName)).union(foreign.filter { isAlone($0) }),
                in: directory)

        func isAlone(_ name: String) -> Bool {
            let stem = name.dropLast(5)
            return name.hasSuffix(".meta") && !foreign.contains(stem + ".dmp")
                && !foreign.contains(stem + ".lock")
        }
    }

    private static func problem(
        _ words: String, of names: Set<String>, in directory: Directory
    ) -> [ReportProblem] {
        names.map { name in
            let path = directory.path(of: name)
            return ReportProblem(path: path, sentence: "\(path): \(words)")
        }
    }
}
