// SPDX-License-Identifier: Apache-2.0
//
// EpitaphVictim watch DATABASE WAY: starts Epitaph, and lets something be watched that hangs, or
// memory that runs out. What is told is printed, a line each.

import CEpitaph
import Dispatch
import Epitaph
import Foundation

enum WatchVictim {
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 3 else {
            say("usage: EpitaphVictim watch DATABASE WAY")
            exit(64)
        }
        start(arguments[1])
        switch arguments[2] {
        case "main-runloop":
            let detection = try HangDetection(options, onEvent: told)
            DispatchQueue.main.asyncAfter(deadline: .now() + 1, execute: hang)
            RunLoop.main.run()
            detection.stop()
        case "main-dispatch":
            let detection = try HangDetection(options, onEvent: told)
            DispatchQueue.main.asyncAfter(deadline: .now() + 1, execute: hang)
            withExtendedLifetime(detection) { dispatchMain() }
        case "main-unused":
            let detection = try HangDetection(options, onEvent: told)
            // A main thread that never runs its queue is no hang.
            Thread.sleep(forTimeInterval: 4)
            detection.stop()
            say("none")
        case "queue":
            var unwatched = options
            unwatched.watchesMainQueue = false
            let detection = try HangDetection(unwatched, onEvent: told)
            let watch = try watchQueue()
            withExtendedLifetime((detection, watch)) { dispatchMain() }
        case "labelled-queue":
            var keeping = options
            keeping.watchesMainQueue = false
            keeping.keepsRecovered = true
            let detection = try HangDetection(keeping, onEvent: told)
            let watch = try watchLabelledQueue()
            withExtendedLifetime((detection, watch)) { dispatchMain() }
        case "heartbeat":
            var unwatched = options
            unwatched.watchesMainQueue = false
            _ = try HangDetection(unwatched, onEvent: told)
            let heartbeat = try Heartbeat("importer", threshold: .milliseconds(1_000))
            heartbeat.whileWorking { Thread.sleep(forTimeInterval: 0.01) }
            Thread.sleep(forTimeInterval: 3)
            heartbeat.whileWorking(hang)
            withExtendedLifetime(heartbeat) { Thread.sleep(forTimeInterval: 30) }
        case "eat": try eat(arguments.last == "full" ? .full : .light)
        case "fill":
            try fill(
                megabytesPerSecond: arguments.count > 3 ? Double(arguments[3]) ?? 100 : 100,
                arguments.last == "full" ? .full : .light)
        case "cost": try cost(seconds: arguments.last.flatMap(Double.init) ?? 60)
        default:
            say("no such way")
            exit(64)
        }
    }

    /// At once: the process may be killed the next moment.
    @Sendable static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    static func start(_ database: String) {
        database.withCString { path in
            "org.example.watched".withCString { bundle in
                var options = epitaph_options()
                options.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
                options.database_path = path
                options.bundle_id = bundle
                var error = epitaph_error()
                guard epitaph_start(&options, &error) == EPITAPH_OK else {
                    withUnsafeBytes(of: error.message) {
                        say(String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self))
                    }
                    exit(1)
                }
            }
        }
    }

    static let options = {
        var options = HangOptions()
        options.threshold = .milliseconds(1_000)
        options.pollInterval = .milliseconds(100)
        return options
    }()

    static let told: @Sendable (HangEvent) -> Void = { event in
        let thread =
            event.threadID.map { $0 == getpid() ? "first thread" : "another thread" } ?? "no thread"
        say("\(event.name) \(event.kind), \(thread)\(event.hasDump ? ", dumped" : "")")
        if event.kind == .ended { exit(0) }
    }

    static func hang() {
        Thread.sleep(forTimeInterval: 4)
    }

    /// Without a time limit, so that the thread can be stopped for the dump.
    static func hangInLock() {
        let released = DispatchSemaphore(value: 0)
        Thread {
            Thread.sleep(forTimeInterval: 4)
            released.signal()
        }.start()
        released.wait()
    }

    static func watchLabelledQueue() throws -> QueueWatch {
        let queue = DispatchQueue(label: "org.example.requests")
        let watch = try QueueWatch(queue, options: options)
        queue.asyncAfter(deadline: .now() + 1, execute: hangInLock)
        return watch
    }

    static func watchQueue() throws -> QueueWatch {
        let queue = DispatchQueue(label: "org.example.requests")
        let watch = try QueueWatch("requests", options: options) { queue.async(execute: $0) }
        queue.asyncAfter(deadline: .now() + 1, execute: hang)
        return watch
    }

    static func eat(_ mode: MemoryMode) throws {
        var memory = MemoryOptions()
        memory.mode = mode
        memory.pollInterval = .milliseconds(100)
        let watch = try MemoryWatch(memory) { event in
            say("\(event.kind)\(event.hasDump ? ", dumped" : "")")
        }
        // 1 MiB at a time, each page touched; slowly where it becomes interesting.
        let files = ControlGroupFiles()
        for _ in 0..<4_096 {
            use(bytes: 1 << 20)
            if files.reading().usedShare ?? 0 > 0.75 { usleep(300_000) }
        }
        watch.stop()
    }

    /// A worker fills memory at this speed, with the defaults of the watch.
    static func fill(megabytesPerSecond: Double, _ mode: MemoryMode) throws {
        var memory = MemoryOptions()
        memory.mode = mode
        let watch = try MemoryWatch(memory) { event in
            say("\(event.kind)\(event.hasDump ? ", dumped" : "")")
        }
        // Another worker is as busy, and takes nothing.
        Thread { while true {} }.start()
        Thread { fillCache(megabytesPerSecond: megabytesPerSecond) }.start()
        withExtendedLifetime(watch) { Thread.sleep(forTimeInterval: 60) }
    }

    /// Not with malloc(3): a compiler leaves out what is allocated and never read.
    private static func use(bytes: Int) {
        let block = mmap(
            nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if let block, block != MAP_FAILED { memset(block, 1, bytes) }
    }

    @inline(never)
    static func fillCache(megabytesPerSecond: Double) {
        let start = ContinuousClock().now
        for count in 0..<16_384 {
            use(bytes: 1 << 20)
            let due = Double(count) / megabytesPerSecond
            // Without sleep: it would be on no processor.
            while (ContinuousClock().now - start) / .seconds(1) < due {}
        }
    }

    /// Processor time of this process's threads so far, by name, in seconds: the first number of
    /// /proc/PID/task/TID/schedstat, proc(5).
    static func threadTimes() -> [String: Double] {
        var times: [String: Double] = [:]
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        for task in tasks {
            let path = "/proc/self/task/\(task)/"
            let name = (try? String(contentsOfFile: path + "comm", encoding: .utf8)) ?? "?\n"
            let words = (try? String(contentsOfFile: path + "schedstat", encoding: .utf8)) ?? ""
            let first = words.split(separator: " ").first.flatMap { Double($0) } ?? 0
            times[String(name.dropLast()), default: 0] += first / 1e9
        }
        return times
    }

    /// What the watches cost with their defaults, while nothing happens.
    static func cost(seconds: Double) throws {
        let detection = try HangDetection()
        let memory = try MemoryWatch { _ in }
        let heartbeats = try (0..<8).map { try Heartbeat("worker \($0)") }
        heartbeats.forEach { $0.pause() }
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) {
            for (name, time) in threadTimes().sorted(by: { $0.key < $1.key })
            where name.hasPrefix("epitaph-") {
                say("\(name) \(time / seconds * 100) %")
            }
            exit(0)
        }
        withExtendedLifetime((detection, memory)) { dispatchMain() }
    }
}
