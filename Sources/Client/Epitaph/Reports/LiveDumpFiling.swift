// SPDX-License-Identifier: Apache-2.0

import CEpitaphSystem
import EpitaphCapture
import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import Glibc

/// How a live dump becomes a report while other processes sweep the same directory. The report
/// always has the dump's id, whichever process files it.
extension CrashReporter {
    private static let patienceSeconds = 30.0
    private static let pauseMicroseconds: UInt32 = 20_000
    /// A renamed dump can be missed once while the directory is read, but hardly three times.
    private static let missLimit = 3

    /// Returns once the dump has a report. `shouldStop` leaves the dump for a later pass.
    func fileLiveDump(_ id: Epitaph.ID, shouldStop: (@Sendable () -> Bool)?) throws(Refusal) {
        let end = ContinuousClock.now.advanced(by: .seconds(Self.patienceSeconds))
        var options = DumpSweep.Options()
        options.limit = .unlimited
        options.shouldStop = shouldStop
        defer { FreedMemory.giveBack() }
        var missCount = 0
        while true {
            let outcome = try attemptToFile(id, options)
            switch outcome {
            case .converted: return
            case .failed(let sentence), .quarantined(_, let sentence):
                throw Refusal(.file, sentence)
            case .waiting, .busy, .stillAlive: break
            // Gone: another process filed or removed it.
            case nil, .ended, .dropped, .notADump: missCount += 1
            }
            guard missCount < Self.missLimit else {
                throw .notFiled(id, because: "it was removed")
            }
            guard shouldStop?() != true else {
                throw .notFiled(id, because: "the task was cancelled; it waits for another pass")
            }
            guard ContinuousClock.now < end else {
                throw .notFiled(
                    id,
                    because: "another process has it for more than \(Int(Self.patienceSeconds)) s")
            }
            epitaph_wait_microseconds(Self.pauseMicroseconds)
            // All other dumps had their turn. A bad one among them would use up its attempts.
            options.onlyDump = id
        }
    }

    /// The result of one pass for this dump; also `converted` if another process made the report.
    private func attemptToFile(
        _ id: Epitaph.ID, _ options: DumpSweep.Options
    ) throws(Refusal) -> DumpOutcome? {
        do throws(DatabaseError) {
            let entries = try sweep(options).0.entries
            let entry = entries.first { DumpName($0.fileName)?.uuid == id }
            if case .converted = entry?.outcome { return entry?.outcome }
            let isFiled = try withDatabase { (database) throws(DatabaseError) in
                try database.isFiled(id)
            }
            return isFiled ? .converted(reportID: id) : entry?.outcome
        } catch {
            throw .notFiled(id, because: error.description)
        }
    }
}

extension Refusal {
    fileprivate static func notFiled(_ id: Epitaph.ID, because reason: String) -> Refusal {
        Refusal(.file, "the live dump \(id.description) is not a report yet: \(reason)")
    }
}
