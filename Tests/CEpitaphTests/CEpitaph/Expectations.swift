// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// How often a test that depends on a lock being held at the moment of the crash repeats it:
/// TEST_ROUNDS, or a number that takes a second.
let testRounds: Int =
    ProcessInfo.processInfo.environment["TEST_ROUNDS"].flatMap(Int.init) ?? 20

extension Dummy {
    /// Checks what every report must have: the death, one sealed dump, the exception, the crashing
    /// thread with registers, and modules with the executable first.
    @discardableResult
    func expectReport(
        signals: Set<Int32>, isComplete: Bool = true, hasStack: Bool = true,
        location: SourceLocation = #_sourceLocation
    ) throws -> ProcessSnapshot {
        let dump = try dump()
        let snapshot = dump.snapshot
        let exception = try #require(snapshot.exception, sourceLocation: location)
        #expect(signals.contains(exception.signal), sourceLocation: location)
        // An init that raises a signal itself exits in its place.
        let endings: [Subprocess.Ending] = [
            .signalled(exception.signal), .exited(128 + exception.signal),
        ]
        #expect(endings.contains(result.ending), sourceLocation: location)
        #expect(dump.isComplete == isComplete, sourceLocation: location)
        #expect(filesOfLaunches.count == 1, sourceLocation: location)
        let thread = try #require(snapshot.crashingThread, sourceLocation: location)
        #expect(thread.completeness == .complete, sourceLocation: location)
        if hasStack {
            let pointer = try #require(thread.registers, sourceLocation: location).stackPointer
            let range = try #require(thread.stack, sourceLocation: location).addressRange
            #expect(range.contains(pointer), sourceLocation: location)
        }
        #expect(snapshot.modules.first?.kind == .executable, sourceLocation: location)
        #expect(snapshot.modules.contains { $0.path.contains("libc.so") }, sourceLocation: location)
        return snapshot
    }
}
