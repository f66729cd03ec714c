// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import Glibc
import Synchronization

/// A progress line on standard error for work longer than half a second; nothing unless that is a
/// terminal. A thread of its own draws it, so that silent work is seen to continue.
final class ProgressBar: Sendable {
    private struct State {
        let label: String
        var done = 0
        var total: Int?
        var detail: String?
        let start = ContinuousClock.now
        var isDrawn = false
    }

    private let state = Mutex<State?>(nil)
    private let file: FileDescriptor
    private static let delay = Duration.milliseconds(500)
    private static let intervalMicroseconds: UInt32 = 100_000

    init(_ file: FileDescriptor) {
        self.file = file
    }

    /// Shows the bar while `body` runs; `label` is for example `reading symbols`.
    func during<Value, Failure>(
        _ label: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard Terminal.isCapable(file) else { return try body() }
        let work = State(label: label)
        state.withLock { $0 = work }
        // Without a thread the work is done without a bar.
        try? BackgroundThread.start("progress") { [self] in draw(since: work.start) }
        defer { state.withLock { end(&$0) } }
        return try body()
    }

    func update(done: Int, of total: Int) {
        state.withLock {
            $0?.done = done
            $0?.total = total
        }
    }

    func wait(for detail: String?) {
        state.withLock { $0?.detail = detail }
    }

    func advance() {
        state.withLock { $0?.done += 1 }
    }

    func interrupted(by body: () throws(SystemError) -> Void) throws(SystemError) {
        try state.withLock { state throws(SystemError) in
            erase(&state)
            try body()
        }
    }

    private func draw(since start: ContinuousClock.Instant) {
        while true {
            usleep(Self.intervalMicroseconds)
            let goesOn = state.withLock { state in
                guard var current = state, current.start == start else { return false }
                let elapsed = ContinuousClock.now - current.start
                if elapsed >= Self.delay {
                    let width = Terminal.width(of: file) ?? 80
                    write("\r\(Self.line(current, elapsed, width: width))\u{1b}[K")
                    current.isDrawn = true
                    state = current
                }
                return true
            }
            guard goesOn else { return }
        }
    }

    private func end(_ state: inout State?) {
        erase(&state)
        state = nil
    }

    private func erase(_ state: inout State?) {
        guard state?.isDrawn == true else { return }
        write("\r\u{1b}[K")
        state?.isDrawn = false
    }

    /// A terminal that accepts no output does not stop the work.
    private func write(_ text: String) {
        var sink = FileSink(file)
        var text = text
        text.withUTF8 { try? sink.append(UnsafeRawBufferPointer($0)) }
    }

    /// `reading symbols [#####...............]  25/100`, or the elapsed time without a total.
    private static func line(_ state: State, _ elapsed: Duration, width: Int) -> String {
        if let detail = state.detail {
            return String("\(detail) … \(elapsed.components.seconds) s".prefix(width - 1))
        }
        guard let total = state.total, total > 0 else {
            return String("\(state.label) … \(elapsed.components.seconds) s".prefix(width - 1))
        }
        let done = min(max(state.done, 0), total)
        let counts = " \(done)/\(total)"
        let room = min(40, width - 1 - state.label.count - counts.count - 3)
        guard room >= 5 else { return String((state.label + counts).prefix(width - 1)) }
        let filled = Int(Double(room) * Double(done) / Double(total))
        let bar =
            String(repeating: "#", count: filled) + String(repeating: ".", count: room - filled)
        return "\(state.label) [\(bar)]\(counts)"
    }
}
