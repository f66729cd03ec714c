// SPDX-License-Identifier: Apache-2.0
//
// EpitaphBench unwind FILE RUNS: unwinds all threads of an intermediate dump that often, and prints
// the median time a frame takes, in microseconds, and how many frames there are. Reading the dump and
// finding the ELF files is not part of it.

import EpitaphIntermediateDump
import EpitaphSystem
import EpitaphUnwinding
import EpitaphValues
import Glibc

enum UnwindBench {
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 3, let runs = Int(arguments[2]), runs > 0 else {
            print("usage: EpitaphBench unwind FILE RUNS")
            exit(64)
        }
        let dump = try IntermediateDump(try FileBytes.contents(of: arguments[1]))
        let snapshot = dump.snapshot
        let images = InstalledImages()
        var times: [Double] = []
        var frameCount = 0
        for _ in 0..<runs {
            // A new one each time: what it remembers of the last run would be a gift.
            let unwinder = StackUnwinder(snapshot: snapshot, images: images, frameLimit: 1_000_000)
            let start = seconds()
            let crashing = unwinder.unwindException().map { [$0] } ?? []
            let others = snapshot.threads.filter { $0.id != snapshot.exception?.threadID }
            frameCount = (crashing + others.map { unwinder.unwind($0) })
                .reduce(0) { $0 + $1.frames.count }
            times.append((seconds() - start) * 1e6 / Double(max(frameCount, 1)))
        }
        times.sort()
        print("\(times[times.count / 2]) \(frameCount)")
    }

    private static func seconds() -> Double {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
