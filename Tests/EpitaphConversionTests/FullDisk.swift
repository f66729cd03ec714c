// SPDX-License-Identifier: Apache-2.0

import EpitaphConversion
import EpitaphDatabase
import EpitaphSystem
import EpitaphValues
import Foundation

/// A disk with room for so many writes.
struct FullDisk: DumpConverter {
    let writesLeft: Int

    func contents(of dump: ByteSlice) -> DumpContents {
        MinidumpConverter().contents(of: dump)
    }

    func writeMinidump<Sink: ByteSink>(
        of dump: ReadDump, named name: DumpName, clientID: Epitaph.ID?, attempt: Int,
        to sink: inout Sink
    ) throws(ConversionError) -> KeptSignature? where Sink.Failure == SystemError {
        var small = SmallSink(sink: sink, writesLeft: writesLeft)
        return try MinidumpConverter().writeMinidump(
            of: dump, named: name, clientID: clientID, attempt: attempt, to: &small)
    }

    private struct SmallSink<Sink: ByteSink>: ByteSink where Sink.Failure == SystemError {
        var sink: Sink
        var writesLeft: Int

        mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
            guard writesLeft > 0 else {
                throw SystemError(call: "write", subject: "disk", errorNumber: ENOSPC)
            }
            writesLeft -= 1
            try sink.append(bytes)
        }
    }
}
