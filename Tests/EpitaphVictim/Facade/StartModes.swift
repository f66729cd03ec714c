// SPDX-License-Identifier: Apache-2.0

import Epitaph
import EpitaphSystem
import Foundation
import Synchronization

/// Modes that need `Epitaph.start` in a process of its own:
///   idle               calls what can be called before the start, and prints the state
///   environment        starts, and prints what of the environment counts
///   start-after-fork   forks, and the child starts and dies of a null pointer
///   fork-lock          forks while another thread has a `ForkSafeLock`, and the child takes it
///   calls-in-children  calls Epitaph from several threads, and forks children that do the same
///   early-crash WAY    starts, prints how many early crashes there were and whether that is a
///                      loop, and ends in that way; none returns
///   loop-hook          starts after an early crash, and does all sorts of things in the hook for
///                      crash loops
///   stopping-child     starts with uploads and events, forks, and the child stops Epitaph
///   brief              starts with events, records one and stops at once
///   end-while-sending  ends by exit(3) while a server of its own does not answer, and prints what
///                      came of that pass
///   last-session       starts, and prints what is known of the launch before
///   start-cost         starts, and prints how many milliseconds the call took
///   test-crash WAY     starts with test crashes allowed, and ends in that way
///   noted-signals      handles SIGHUP itself, starts with signals noted, and ends by SIGTERM;
///                      prints what is kept of that when it is called for the second time
struct StartModes {
    let database: String

    /// - Returns: whether there is such a mode.
    func run(_ mode: String, _ argument: String?) -> Bool {
        switch mode {
        case "idle": idle()
        case "environment": environment()
        case "start-after-fork": startAfterFork()
        case "fork-lock": forkLock()
        case "calls-in-children": callsInChildren()
        case "early-crash": earlyCrash(argument ?? "")
        case "loop-hook": loopHook()
        case "stopping-child": stoppingChild()
        case "brief": brief()
        case "end-while-sending": endWhileSending()
        case "last-session": lastSession()
        case "start-cost": startCost()
        case "test-crash": testCrash(argument ?? "")
        case "noted-signals": notedSignals()
        default: return false
        }
        return true
    }

    private var configuration: Epitaph.Configuration {
        .init(databasePath: database, bundleID: "org.example.facade")
    }

    private func idle() {
        Epitaph.note("early")
        Epitaph["name"] = "value"
        Epitaph["name"] = nil
        Epitaph.isEnabled = true
        Epitaph.stop()
        print(Epitaph.state)
        do {
            try Epitaph.reportLiveDump()
        } catch {
            print(error)
        }
    }

    private func environment() {
        Epitaph.start(configuration)
        print(Epitaph.state, Epitaph.reporter?.databasePath ?? "")
        Epitaph.stop()
    }

    private func startAfterFork() {
        let child = Self.fork()
        if child == 0 {
            Epitaph.start(configuration)
            UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
        }
        print(Self.endingSignal(of: child))
    }

    private func forkLock() {
        let lock = ForkSafeLock()
        let isTaken = Atomic(false)
        Thread {
            lock.during {
                isTaken.store(true, ordering: .releasing)
                sleep(600)
            }
        }.start()
        while !isTaken.load(ordering: .acquiring) { usleep(1000) }
        let child = Self.fork()
        if child == 0 {
            let isOurs = lock.during(within: .seconds(60)) { true }
            _exit(isOurs == true ? 7 : 1)
        }
        print("child \(Self.status(of: child) >> 8)")
        print("parent \(lock.during(within: .milliseconds(5)) { true } == nil)")
    }

    private func callsInChildren() {
        var configuration = configuration
        configuration.parts.events = EventLogOptions()
        configuration.parts.sessions = SessionOptions()
        configuration.parts.metrics = MetricsOptions()
        Epitaph.start(configuration)
        let call: @Sendable () -> Void = {
            Epitaph.note("called")
            Epitaph.log(LogLine(.error, tag: "calls", "called"))
            Epitaph.context?.update { $0.setTag("calls", to: "many") }
            Epitaph.navigation?.enter(phase: "calling")
            Epitaph.metrics?.durations("calls").record(.milliseconds(1))
            _ = Epitaph.events?.status
        }
        for _ in 0..<3 { Thread { while true { call() } }.start() }
        let endings = (0..<50).map { _ in
            let child = Self.fork()
            if child == 0 {
                alarm(60)
                call()
                _exit(7)
            }
            return Self.status(of: child)
        }
        print("children \(Set(endings.map { $0 >> 8 }))")
        fflush(nil)
        _exit(0)
    }

    private func earlyCrash(_ way: String) {
        var configuration = configuration
        configuration.crashLoop = CrashLoopPolicy(earlyTime: .seconds(3600), crashCount: 2)
        configuration.capture.allowsTestCrashes = true
        configuration.processesEarlierDumps = false
        configuration.onCrashLoop = { print("loop of \($0.crashCount)") }
        Epitaph.start(configuration)
        print("\(Epitaph.consecutiveEarlyCrashCount) early")
        fflush(nil)
        end(way)
        Epitaph.stop()
    }

    private func loopHook() {
        var configuration = configuration
        configuration.crashLoop = CrashLoopPolicy(earlyTime: .seconds(3600), crashCount: 1)
        let plain = configuration
        configuration.onCrashLoop = { loop in
            print("\(Epitaph.state), loop of \(loop.crashCount)")
            Epitaph.note("safe mode")
            Epitaph["safe"] = true
            print("\(Epitaph.consecutiveEarlyCrashCount) early")
            Epitaph.start(plain)
            print("crashed: \(Epitaph.lastSession(waiting: .seconds(600))?.hasCrashed ?? false)")
            Epitaph.stop()
            print(Epitaph.state)
        }
        Epitaph.start(configuration)
        print(Epitaph.state)
    }

    private func stoppingChild() {
        var configuration = configuration
        configuration.destination = "http://127.0.0.1:9/"
        configuration.parts.events = EventLogOptions()
        configuration.parts.sessions = SessionOptions()
        configuration.parts.memory = MemoryOptions()
        let pass = DispatchSemaphore(value: 0)
        configuration.onUploads = { _ in pass.signal() }
        Epitaph.start(configuration)
        let child = Self.fork()
        if child == 0 {
            Epitaph.stop()
            _exit(7)
        }
        print("child \(Self.status(of: child) >> 8)")
        // By then events are written.
        pass.wait()
        let isRecorded = Epitaph.record("after the child")
        let isWritten = Epitaph.events?.flush(within: .seconds(60)) ?? false
        print("parent \(Epitaph.state), \(isRecorded), \(isWritten)")
        Epitaph.stop()
    }

    private func brief() {
        var configuration = configuration
        configuration.parts.events = EventLogOptions()
        Epitaph.start(configuration)
        Epitaph.record("brief")
        Epitaph.stop()
    }

    private static let passEnd = DispatchSemaphore(value: 0)

    private func endWhileSending() {
        let server = SilentServer()
        var configuration = configuration
        configuration.destination = "http://127.0.0.1:\(server.port)/"
        configuration.uploadsEnabled = true
        configuration.uploads.transport.proxy = .none
        configuration.onUploads = { outcome in
            print(outcome)
            Self.passEnd.signal()
        }
        // Handlers run in reverse order, so this one after those that Epitaph registers later.
        atexit { _ = StartModes.passEnd.wait(timeout: .now() + 60) }
        Epitaph.start(configuration)
        server.waitForRequest()
        exit(0)
    }

    private func lastSession() {
        Epitaph.start(configuration)
        let session = Epitaph.lastSession(waiting: .seconds(600))
        print("crashed: \(Epitaph.hasCrashedInLastSession)")
        if let crash = session?.crash {
            print(crash.headline)
            print(crash.reason ?? "no reason")
            print(crash.signature?.count ?? 0, crash.time != nil)
            for frame in crash.frames.prefix(3) {
                print(frame.function ?? "?", frame.module ?? "?")
            }
        }
        Epitaph.stop()
    }

    private func startCost() {
        let configuration = configuration
        let duration = ContinuousClock().measure { Epitaph.start(configuration) }
        print(duration / .milliseconds(1))
        Epitaph.stop()
    }

    private func testCrash(_ way: String) {
        var configuration = configuration
        configuration.capture.allowsTestCrashes = true
        Epitaph.start(configuration)
        end(way)
    }

    private func notedSignals() {
        var configuration = configuration
        configuration.capture.breadcrumbFileBytes = CrashReporterOptions.usualBreadcrumbFileBytes
        configuration.parts.systemEvents = SystemEventOptions()
        configuration.parts.systemEvents?.signals = SystemEventOptions.usualSignals
        signal(SIGHUP) { _ in }
        Epitaph.start(configuration)
        if let run = Epitaph.lastSession(waiting: .seconds(600))?.run {
            let notes = try? Epitaph.breadcrumbs(of: run)?.notes
            print(run.end)
            for note in notes ?? [] where note.message.hasPrefix("SIG") { print(note.message) }
            return Epitaph.stop()
        }
        raise(SIGHUP)
        Epitaph.noteSignal(.sighup)
        raise(SIGTERM)
    }

    private func end(_ way: String) {
        guard let way = TestCrash(rawValue: way) else { return }
        do {
            try Epitaph.generateTestCrash(way)
        } catch {
            print(error)
        }
    }

    /// fork(2), which Swift's module of glibc does not offer.
    private static func fork() -> pid_t {
        typealias Fork = @convention(c) () -> pid_t
        guard let function = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(function, to: Fork.self)()
    }

    private static func status(of child: pid_t) -> Int32 {
        var status: Int32 = 0
        waitpid(child, &status, 0)
        return status
    }

    private static func endingSignal(of child: pid_t) -> Int32 { status(of: child) & 0x7f }
}
