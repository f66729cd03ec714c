// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The name of a file in `pending-dumps/`: `<bundle-id>@<uuid>`, followed by the dump's stage.
package struct DumpName: Sendable, Equatable {
    /// How far a dump has come.
    package enum Stage: Sendable, Equatable {
        /// No ending: sealed by the handler, to be converted.
        case pending
        /// `.locked`: its owner may still be alive or writing.
        case locked
        /// `.converting-N`: a process has begun to convert it for the Nth time.
        case converting(attempt: Int)
    }

    /// The program's bundle id: everything before the last `@`.
    package let bundleID: String
    /// The dump's id, which its report will have.
    package let uuid: Epitaph.ID
    package let stage: Stage
    /// The name without the stage's ending, as spelled in the directory.
    package let stem: String

    /// Nil for any other form of name.
    package init?(_ name: String) {
        let (stem, ending) = name.divided(
            at: name.lastIndex(of: "@").flatMap { at in
                name[at...].firstIndex(of: ".")
            })
        let (bundleID, uuidText) = stem.divided(at: stem.lastIndex(of: "@"))
        guard !bundleID.isEmpty, uuidText.utf8.count == 37,
            let uuid = Epitaph.ID(String(uuidText.dropFirst()))
        else { return nil }
        guard let stage = Stage(ending: ending) else { return nil }
        self.bundleID = String(bundleID)
        self.uuid = uuid
        self.stage = stage
        self.stem = String(stem)
    }

    /// Whether the file was handed to a forked child by a process that may change its user: the id
    /// is of version 8, RFC 9562. The end of such a child is not the end of a launch. The name
    /// decides and not the contents, because the child, which may be another user by then, wrote
    /// those.
    package var isHandedOut: Bool {
        uuid.version == 8
    }

    /// How many attempts were begun before this one.
    package var attempts: Int {
        if case .converting(let attempt) = stage { attempt } else { 0 }
    }

    /// The file's name in another stage.
    func name(in stage: Stage) -> String {
        stem + stage.ending
    }
}

extension DumpName.Stage {
    private static let convertingPrefix = ".converting-"

    fileprivate init?(ending: Substring) {
        if ending.isEmpty {
            self = .pending
        } else if ending == ".locked" {
            self = .locked
        } else if ending.hasPrefix(Self.convertingPrefix),
            let attempt = Int(ending.dropFirst(Self.convertingPrefix.count)),
            (1...99).contains(attempt)
        {
            self = .converting(attempt: attempt)
        } else {
            return nil
        }
    }

    fileprivate var ending: String {
        switch self {
        case .pending: ""
        case .locked: ".locked"
        case .converting(let attempt): "\(Self.convertingPrefix)\(attempt)"
        }
    }
}

extension StringProtocol where SubSequence == Substring {
    /// The parts before `index` and from it on; everything and nothing if it is nil.
    fileprivate func divided(at index: String.Index?) -> (Substring, Substring) {
        let index = index ?? endIndex
        return (self[..<index], self[index...])
    }
}

/// A listed file, with its name and status.
struct Candidate {
    let fileName: String
    let name: DumpName
    let status: FileStatus
}

extension DumpName.Stage {
    /// Order within a pass: retries last, so that bad files do not delay good ones.
    var rank: Int {
        switch self {
        case .pending: 0
        case .locked: 1
        case .converting: 2
        }
    }
}
