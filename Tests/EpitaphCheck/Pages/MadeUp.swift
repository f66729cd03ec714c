// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport

/// Explanations of made-up crashes, with stacks that no unwinder would find in them.
enum MadeUp {
    static var hostile: CrashExplanation {
        let frames = HostileSnapshot.texts.enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: UInt64.max - UInt64(index))
            frame.function = name
            frame.functionOffset = .max
            frame.source = .init(file: "/\(name)", line: index % 2 == 0 ? .max : nil)
            frame.isInlined = index % 3 == 0
            frame.isAsyncCaller = index % 3 == 1
            frame.foundBy = .stackScan
            return frame
        }
        let stack = ReportStack(frames: frames, whyIncomplete: HostileSnapshot.text)
        return CrashExplanation(
            HostileSnapshot.crash(), stacks: [stack, stack], crashStack: stack,
            moduleProblems: [0: HostileSnapshot.text])
    }

    /// Every thread has a stack of its own, the crashing one a deep one that does not fold.
    static var crowded: CrashExplanation {
        let snapshot = CrowdedSnapshot.crash(threads: 1000)
        func stack(_ thread: Int, depth: Int) -> ReportStack {
            ReportStack(
                frames: (0..<depth).map { index in
                    let module = UInt64((thread + index * 7) % 400)
                    var frame = ReportFrame(
                        index: index,
                        address: 0x40_0000 + module * 0x10_0000 + UInt64(thread + index))
                    frame.place = ReportFrame.Place(frame.address, in: snapshot.modules)
                    frame.function = "part\(module).Task\(thread).step\(index)(with:of:)"
                    frame.source = .init(file: "/src/part\(module)/Task.swift", line: index)
                    return frame
                })
        }
        return CrashExplanation(
            snapshot, stacks: (0..<1000).map { stack($0, depth: 40) },
            crashStack: stack(0, depth: 5000))
    }
}
