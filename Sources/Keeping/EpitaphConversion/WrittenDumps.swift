// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphSystem

struct WrittenDump {
    let conversion: Conversion
    let report: NewReport
    let signature: KeptSignature?
    var fileName: String
    /// Sentences about files that the dump names but the report lacks.
    let attachmentProblems: [String]
    /// Its index in the summary of the pass.
    var entryIndex = 0
    let launch: RecordedLaunch?
}

/// The written dumps of a pass that are filed together: one sync for all costs as much as for a
/// single report. docs/decisions/database.md Their number is limited, so that little work is lost
/// if the converter dies, and for the sake of file descriptors.
struct WrittenDumps {
    private static let countLimit = 64
    private static let byteLimit = 64 << 20
    private static let descriptorLimit = 256
    private static let timeLimit = Duration.seconds(1)
    /// Other dumps should not wait for a large one.
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

    /// Whether to file the waiting dumps first: this one takes long or ended its converter before.
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

    /// Gives back the last dump's attempt: the next one's failure must not count against it.
    mutating func giveBackLast() {
        guard let last = dumps.indices.last else { return }
        dumps[last].fileName = dumps[last].conversion.giveBack(dumps[last].fileName)
    }

    mutating func takeAll() -> [WrittenDump] {
        defer { self = WrittenDumps() }
        return dumps
    }
}
