// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphUpload

/// Sends a directory's due logs. Keeps nothing on disk: a file that exists was not delivered.
package struct LogUploadPass {
    let directory: LogDirectory
    let options: LogUploadOptions
    let destination: any LogDestination
    let transport: any Transport
    let clock: any StoppableClock
    let delegate: (any LogUploadDelegate)?
    var book: LogBook
    var hold = ServerHold()
    var summary = LogUploadSummary()

    /// - Parameters:
    ///   - path: of the directory; a symbolic link is not followed.
    ///   - transport: sends the requests, one at a time.
    ///   - clock: once stopped, the pass ends before the next log.
    ///   - delegate: retained by the pass.
    package init(
        through path: String, to destination: any LogDestination, by transport: any Transport,
        options: LogUploadOptions = LogUploadOptions(), clock: any StoppableClock,
        delegate: (any LogUploadDelegate)? = nil
    ) {
        directory = LogDirectory(path: path, selection: options.selection)
        self.options = options
        self.destination = destination
        self.transport = transport
        self.clock = clock
        self.delegate = delegate
        book = LogBook(settleSeconds: max(options.settleTime.inSeconds, 0))
    }

    /// Tries each finished log that is due once, oldest first.
    package mutating func run() -> LogUploadSummary {
        summary = LogUploadSummary()
        guard var files = look() else { return summary }
        discard(&files)
        let names = Dictionary(
            files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for file in files {
            guard !clock.isStopped else { break }
            step(file, names)
        }
        return summary
    }

    private mutating func look() -> [LogFile]? {
        var files: [LogFile] = []
        var sentences: [String] = []
        defer { summary.nameProblems = sentences }
        do {
            files = try directory.files(report: { sentences.append($0) })
            // readdir(3) may miss a file that is renamed in the meantime.
            if book.misses(files) { files = try directory.files() }
        } catch {
            summary.problem =
                error.isNotADirectory
                ? "\(directory.path) is not a directory, or a symbolic link, which is not followed"
                : "\(directory.path) cannot be looked through: \(error.reason)"
            // Unless the directory itself is gone, its files may still exist.
            guard error.isNotFound else { return nil }
            files = []
        }
        let changes = book.look(at: files, now)
        for file in changes.vanished { reportVanished(file) }
        if changes.hasNew { hold.lift() }
        return files
    }

    /// The newest log is not deleted before it was tried once.
    private mutating func discard(_ files: inout [LogFile]) {
        let newest = files.last { $0.sizeBytes > 0 }
        let isUntried = newest.map { file in
            let standing = book.standing(of: file, now)
            return book.failures(of: file) == 0 && standing != .refused && standing != .delivered
        }
        let spared = isUntried == true ? newest : nil
        for (file, reason) in options.limits.excess(of: files, sparing: spared) {
            guard directory.discard(file) else { continue }
            let wasDelivered = book.standing(of: file, now) == .delivered
            book.forget(file)
            files.removeAll { $0 == file }
            guard !wasDelivered else { continue }
            summary.discardedCount += 1
            delegate?.didDiscard(file, reason)
        }
    }

    private mutating func step(_ file: LogFile, _ names: [String: LogFile]) {
        switch book.standing(of: file, now) {
        case nil: break
        case .refused: summary.refusedCount += 1
        case .delivered: deleteDelivered(file)
        case .settling(let end):
            summary.settlingCount += 1
            wake(at: end)
        case .waiting(let end):
            summary.waitingCount += 1
            wake(at: max(end, hold.end))
        case .due:
            if hold.end > now.monotonic {
                summary.waitingCount += 1
                wake(at: hold.end)
            } else if isBeingCompressed(file, names) {
                summary.settlingCount += 1
                wake(at: soon)
            } else if (options.gate?(file) ?? .open) == .open,
                delegate?.shouldUpload(file) ?? true
            {
                attempt(file)
            } else {
                summary.waitingCount += 1
            }
        }
    }

    /// A compressor deletes the original at the end; until then one log has two files.
    private func isBeingCompressed(_ file: LogFile, _ names: [String: LogFile]) -> Bool {
        LogSelection.compressedEndings.contains { ending in
            guard let other = names[file.name + ending] else { return false }
            // An empty one has not received its first bytes yet.
            guard other.sizeBytes > 0 else { return true }
            guard case .settling = book.standing(of: other, now) else { return false }
            return true
        }
    }

    mutating func reportVanished(_ file: LogFile) {
        summary.vanishedCount += 1
        delegate?.didVanish(file)
    }

    var now: LogTime {
        LogTime(wall: clock.now(), monotonic: clock.monotonicSeconds())
    }

    /// When to look again at a file in use.
    var soon: Double { now.monotonic + max(options.settleTime.inSeconds, 1) }

    mutating func wake(at time: Double) {
        let seconds = max(time - now.monotonic, 0)
        summary.secondsToNextStep = min(summary.secondsToNextStep ?? seconds, seconds)
    }
}
