// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// The name of a file in `pending-dumps/`: `<bundle-id>@<uuid>`, followed by its stage.
package struct DumpName: Sendable, Equatable {
    package enum Stage: Sendable, Equatable {
        /// No ending: sealed by the handler, to be converted.
        case pending
        case locked
        /// `.converting-N`: the Nth conversion has begun.
        case converting(attempt: Int)
    }

    package let bundleID: String
    package let uuid: Epitaph.ID
    package let stage: Stage
    /// The name without the stage, as spelled in the directory.
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

    /// Whether a process that may change its user handed the file to a forked child: the id is of
    /// version 8, RFC 9562. The end of such a child is not the end of a launch. The child, which
    /// may be another user by then, wrote the contents, so the name decides.
    package var isHandedOut: Bool {
        uuid.version == 8
    }

    package var attempts: Int {
        if case .converting(let attempt) = stage { attempt } else { 0 }
    }

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
    fileprivate func divided(at index: String.Index?) -> (Substring, Substring) {
        let index = index ?? endIndex
        return (self[..<index], self[index...])
    }
}

struct Candidate {
    let fileName: String
    let name: DumpName
    let status: FileStatus
}

extension DumpName.Stage {
    /// Retries come last in a pass, so that bad files do not delay good ones.
    var rank: Int {
        switch self {
        case .pending: 0
        case .locked: 1
        case .converting: 2
        }
    }
}
