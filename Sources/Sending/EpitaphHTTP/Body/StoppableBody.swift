// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// A body that ends with an error once the uploader has to stop, however slow the connection is.
package final class StoppableBody: BodySource {
    private let source: any BodySource
    private let clock: any StoppableClock

    package init(_ source: any BodySource, clock: any StoppableClock) {
        self.source = source
        self.clock = clock
    }

    package var contentLength: Int { source.contentLength }

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        guard !clock.isStopped else { throw .bodyUnreadable(reason: "the uploader was stopped") }
        return try source.read(into: buffer)
    }

    package func rewind() throws(TransportError) {
        try source.rewind()
    }
}
