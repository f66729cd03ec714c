// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

struct ExplainWork {
    let name: String
    var endings = 0
}

struct WorkerLink {
    private var child: PipedChild?
    private(set) var work: ExplainWork?
    /// Time limit of `work`.
    private(set) var deadline = ContinuousClock.now
    private var received: [UInt8] = []
    private(set) var isReady = false
    private var isLeaving = false

    enum Event {
        case answer(WorkerMessage, ExplainWork)
        /// The process is gone, with its work.
        case ended(ExplainWork?, how: String)
    }

    var awaited: FileDescriptor? { work == nil ? nil : child?.output }

    mutating func begin(
        _ work: ExplainWork, _ words: [String], within seconds: Int
    ) throws(SystemError) {
        self.work = work
        deadline = .now + .seconds(seconds)
        // An idle worker may have exited to give back memory.
        if let child, isReady {
            do throws(SystemError) {
                return try WorkerRequest.send(work.name, to: child.input)
            } catch {
                guard error.isBrokenPipe else { throw error }
            }
        }
        received = []
        isReady = false
        isLeaving = false
        // The running executable, even if it was replaced since: proc_pid_exe(5).
        let child = try PipedChild("/proc/self/exe", name: ProgramDescription.name, words)
        self.child = child
        do throws(SystemError) {
            try WorkerRequest.send(work.name, to: child.input)
        } catch {
            guard error.isBrokenPipe else { throw error }
        }
    }

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Event? {
        guard let child else { return nil }
        let count = (try? child.output.read(into: buffer)) ?? 0
        guard count > 0 else {
            let ending = child.ended()
            return take(.ended(work, how: Self.words(ending)))
        }
        received += buffer[..<count]
        do {
            while let message = try WorkerMessage.take(from: &received) {
                switch message {
                case .ready: isReady = true
                case .leaving: isLeaving = true
                case .explained, .failed, .postponed, .impossible:
                    guard let work else { continue }
                    self.work = nil
                    if isLeaving { self.child = nil }
                    return .answer(message, work)
                }
            }
            return nil
        } catch {
            end()
            return take(.ended(work, how: "it answered what nobody understands"))
        }
    }

    var privateBytes: Int { child?.privateBytes ?? 0 }

    mutating func end() {
        _ = child?.end()
        child = nil
        work = nil
    }

    private mutating func take(_ event: Event) -> Event {
        child = nil
        work = nil
        return event
    }

    private static func words(_ ending: ChildProcess.Ending?) -> String {
        switch ending {
        case .exited(let status): "it ended with status \(status)"
        case .signalled(let signal): "it was ended by signal \(signal)"
        case nil: "it ended"
        }
    }
}
