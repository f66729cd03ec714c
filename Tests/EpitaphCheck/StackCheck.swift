// SPDX-License-Identifier: Apache-2.0
//
// EpitaphCheck stacks DUMP [SYSROOT]: prints the physical frames of each thread, the one that crashed first and
// from the fault on, of an intermediate dump or a core file: a line "THREAD" and its id, then one line
// a frame: address, name, name as the file has it, how the frame was found, and how many bytes of the
// stack are left out before it; then "END" and why the stack ends there. Scripts/compare-stacks
// compares the frames with gdb's.
//
// EpitaphCheck stacks --time DUMP: prints how long unwinding takes: all threads, then the one that
// crashed again and again.

import EpitaphCores
import EpitaphIntermediateDump
import EpitaphSymbols
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues
import Foundation

enum StackCheck {
    static func run(_ arguments: [String]) {
        let words = arguments.dropFirst().filter { $0 != "--time" }
        guard let path = words.first, words.count <= 2 else {
            print("usage: EpitaphCheck stacks [--time] DUMP [SYSROOT]")
            exit(2)
        }
        do {
            if arguments.contains("--time") {
                try printTimes(of: path)
            } else {
                let roots = try words.dropFirst().map { try RootDirectory(opening: $0) }
                try printFrames(of: path, roots: roots)
            }
        } catch {
            print("END\t\(error)")
            exit(1)
        }
    }

    private static func snapshot(of path: String) throws -> ProcessSnapshot {
        let bytes = try FileBytes.contents(of: path)
        guard CoreReader.isCore(bytes) else { return try IntermediateDump(bytes).snapshot }
        let core = CoreBytes(bytes)
        return try CoreReader(core).snapshot(core)
    }

    private static func printFrames(of path: String, roots: [RootDirectory]) throws {
        let snapshot = try snapshot(of: path)
        let images = InstalledImages(roots: roots)
        let unwinder = StackUnwinder(snapshot: snapshot, images: images)
        let symbolicator = Symbolicator(snapshot: snapshot, images: images)
        var named: [UInt64: SourceFrame] = [:]
        func printFrames(_ backtrace: Backtrace, of thread: UInt64) {
            print("THREAD\t\(thread)")
            // A debugger knows nothing of callers that are on no stack.
            for frame in backtrace.frames where frame.foundBy != .asyncContext {
                let name = named[frame.lookupAddress] ?? symbolicator.symbolicate(frame).last
                named[frame.lookupAddress] = name
                var missing: UInt64 = 0
                if case .stackBytes(let count) = frame.omission { missing = count }
                let fields = [
                    "FRAME", String(frame.instructionPointer, radix: 16), name?.function ?? "",
                    name?.rawName ?? "", frame.foundBy.rawValue, String(missing),
                ]
                print(fields.joined(separator: "\t"))
            }
            print("END\t\(backtrace.end)")
        }
        let crashing = snapshot.crashingThread?.id ?? 0
        if let backtrace = unwinder.unwindException() { printFrames(backtrace, of: crashing) }
        for thread in snapshot.threads where thread.id != crashing {
            printFrames(unwinder.unwind(thread), of: thread.id)
        }
    }

    private static func printTimes(of path: String) throws {
        let snapshot = try IntermediateDump(try FileBytes.contents(of: path)).snapshot
        let clock = ContinuousClock()
        let images = InstalledImages()
        var unwinder = StackUnwinder(snapshot: snapshot, images: images)
        let opening = clock.measure { unwinder = StackUnwinder(snapshot: snapshot, images: images) }
        print("opening\t\(opening)")
        var count = 0
        let threads = clock.measure {
            count = snapshot.threads.reduce(0) { $0 + unwinder.unwind($1).frames.count }
        }
        print("\(snapshot.threads.count) threads\t\(count) frames\t\(threads / max(count, 1)) each")
        for _ in 0..<5 {
            let time = clock.measure { count = unwinder.unwindException()?.frames.count ?? 0 }
            print("exception\t\(count) frames\t\(time / max(count, 1)) each")
        }
    }
}
