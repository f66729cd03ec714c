// SPDX-License-Identifier: Apache-2.0

import LinuxSystem
import ReportUpload

/// A body that ends with an error once the uploader is to come to an end, so that a large log on a
/// thin line does not keep a daemon from stopping.
final class StoppableBody: BodySource {
    private let source: any BodySource
    private let clock: any StoppableClock

    init(_ source: any BodySource, clock: any StoppableClock) {
        self.source = source
        self.clock = clock
    }

    var contentLength: Int { source.contentLength }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int {
        guard !clock.isStopped else { throw .bodyUnreadable(reason: "the uploader was stopped") }
        return try source.read(into: buffer)
    }

    func rewind() throws(TransportError) {
        try source.rewind()
    }
}
