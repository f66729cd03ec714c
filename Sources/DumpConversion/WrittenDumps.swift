// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportDatabase

/// A dump whose minidump is written and not filed yet.
struct WrittenDump {
    let conversion: Conversion
    let report: NewReport
    let signature: KeptSignature?
    /// What the dump's file is called now.
    var fileName: String
    /// Sentences about files that the dump names and the report goes without.
    let attachmentProblems: [String]
    /// Its entry in the summary of the pass.
    var entryIndex = 0
}

/// The written dumps of a pass that are to be filed together: one synchronisation for all of them
/// costs as much as one for one. docs/decisions/batches.md
///
/// Bounded, so that the death of the converter costs little work, and none of the files a program
/// around it may open.
struct WrittenDumps {
    private static let countLimit = 64
    private static let byteLimit = 64 << 20
    private static let descriptorLimit = 256
    private static let timeLimit = Duration.seconds(1)
    /// Other dumps do not wait for one that takes long.
    private static let largeByteCount = 16 << 20

    private var dumps: [WrittenDump] = []
    private var byteCount = 0
    private var descriptorCount = 0
    private var start = ContinuousClock.now

    var isEmpty: Bool { dumps.isEmpty }

    var isFull: Bool {
        dumps.count >= Self.countLimit || byteCount >= Self.byteLimit
            || descriptorCount >= Self.descriptorLimit
            || !isEmpty && ContinuousClock.now - start >= Self.timeLimit
    }

    /// Whether those that wait should be filed before this one is begun: it takes long, or ended
    /// its converter before.
    static func isBurden(_ candidate: Candidate) -> Bool {
        candidate.name.attempts > 0 || candidate.status.sizeBytes >= largeByteCount
    }

    mutating func append(_ dump: WrittenDump) {
        if isEmpty { start = .now }
        dumps.append(dump)
        byteCount += dump.conversion.candidate.status.sizeBytes
        // The dump, the report's files, its metadata and its lock.
        descriptorCount += 3 + dump.report.openFileCount
    }

    /// What may end the process was done with the last one, too: from now on it does not pay for
    /// the one behind it.
    mutating func giveBackLast() {
        guard let last = dumps.indices.last else { return }
        dumps[last].fileName = dumps[last].conversion.giveBack(dumps[last].fileName)
    }

    /// All of them, which leaves none.
    mutating func takeAll() -> [WrittenDump] {
        defer { self = WrittenDumps() }
        return dumps
    }
}
