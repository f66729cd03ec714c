// SPDX-License-Identifier: Apache-2.0

import Epitaph
import Glibc

/// Errors of two kinds from sixteen threads, as fast as they go.
struct Flood {
    let errors: ErrorReports
    let count: Int

    private static let threadCount = 16

    func run() {
        usleep(500_000)
        let memoryBefore = anonymousBytes
        let start = nanoseconds(CLOCK_MONOTONIC)
        let each = count / Self.threadCount
        var slowestOfEach = [Int](repeating: 0, count: Self.threadCount)
        slowestOfEach.withUnsafeMutableBufferPointer { slowestOfEach in
            let results = slowestOfEach
            let threads = results.indices.map { thread in
                RunningThread { results[thread] = report(each) }
            }
            for thread in threads { thread.join() }
        }
        let slowest = slowestOfEach.max() ?? 0
        let seconds = Double(nanoseconds(CLOCK_MONOTONIC) - start) / 1e9
        let processor = Double(nanoseconds(CLOCK_PROCESS_CPUTIME_ID)) / 1e9
        let memory = anonymousBytes - memoryBefore
        errors.stop()
        let losses = errors.losses
        let counted =
            errors.recent.map { $0.id == nil ? 0 : 1 + $0.repeatCount }.reduce(0, +)
            + losses.tooMany
            + losses.queueIsFull + losses.notFiled
        let made = each * Self.threadCount
        print("| errors from \(Self.threadCount) threads | \(made) |")
        print("| counted, in \(errors.recent.count) reports and what is lost | \(counted) |")
        print("| a second | \(Int(Double(made) / seconds)) |")
        print("| processor time of the whole process, s | \(rounded(processor)) |")
        print(
            "| the slowest call, on threads that wait for a processor, ms | \(slowest / 1_000_000) |"
        )
        print("| memory more than before, kB | \(memory / 1_000) |")
        if counted != made { exit(1) }
    }

    /// Returns how long the slowest call took, nanoseconds.
    private func report(_ count: Int) -> Int {
        var slowest = 0
        var last = nanoseconds(CLOCK_MONOTONIC)
        for number in 0..<count {
            if number % 2 == 0 {
                errors.trackError(LedgerError.isLocked)
            } else {
                errors.trackMessage("no stock")
            }
            let now = nanoseconds(CLOCK_MONOTONIC)
            slowest = max(slowest, now - last)
            last = now
        }
        return slowest
    }

    private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }

    /// RssAnon of proc_pid_status(5).
    private var anonymousBytes: Int {
        guard let file = fopen("/proc/self/status", "re") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
                .split { $0.isWhitespace }
            if words.first == "RssAnon:" { return (Int(words[1]) ?? 0) * 1_024 }
        }
        return 0
    }
}
