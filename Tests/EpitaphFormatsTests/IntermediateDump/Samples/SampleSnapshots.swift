// SPDX-License-Identifier: Apache-2.0

import EpitaphIntermediateDump
import EpitaphValues

extension SampleDumps {
    /// The snapshot of a complete dump with a launch record and what `fill` adds.
    static func snapshot(
        machine: UInt16 = 62, _ fill: (inout DumpBuilder) -> Void
    ) throws -> ProcessSnapshot {
        var dump = launch(machine: machine)
        fill(&dump)
        return try IntermediateDump.snapshot(from: ByteSlice(dump.finished))
    }
}
