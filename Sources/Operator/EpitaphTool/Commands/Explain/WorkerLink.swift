// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// A report that is to be explained.
struct ExplainWork {
    let name: String
    /// How many workers ended over it.
    var endings = 0
}

/// A worker, as the run that started it sees it.
struct WorkerLink {
    /// Nil until there is work for it.
    private var child: PipedChild?
    /// What it is at work on.
    private(set) var work: ExplainWork?
    /// When that is given up.
    private(set) var deadline = ContinuousClock.now
    private var received: [UInt8] = []
    /// Whether it has ever said something: one that has not cannot start here.
    private(set) var isReady = false
    private var isLeaving = false

    /// Something that happened to it.
    enum Event {
        case answer(WorkerMessage, ExplainWork)
        /// The process is gone, with what it was at work on.
        case ended(ExplainWork?, how: String)
    }

    /// What its answers are read from; nil while it has nothing to answer.
    var awaited: FileDescriptor? { work == nil ? nil : child?.output }

    /// - Parameter words: the command line of a worker.
    mutating func begin(
        _ work: ExplainWork, _ words: [String], within seconds: Int
    ) throws(SystemError) {
        self.work = work
        let fetching = BucketName.isOne(work.name) ? BucketReader.fetchSeconds : 0
        deadline = .now + .seconds(seconds) + .seconds(fetching)
        // An idle one may have ended by now, to give back its memory.
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
        // What was executed, even if it has been replaced since: proc_pid_exe(5).
        let child = try PipedChild("/proc/self/exe", name: ProgramDescription.name, words)
        self.child = child
        do throws(SystemError) {
            try WorkerRequest.send(work.name, to: child.input)
        } catch {
            // Its end is seen when its answer is read.
            guard error.isBrokenPipe else { throw error }
        }
    }

    /// Reads once; blocks unless there is something to read.
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

    /// Bytes of memory that are its own.
    var privateBytes: Int { child?.privateBytes ?? 0 }

    /// Kills it.
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
