// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem
import EpitaphValues

/// Receives the body of a successful answer as it arrives. A sink holds the whole body only once
/// `Transport.send` has returned a success; after an error it holds a part or nothing. A partial
/// answer to a range request has the status 206.
package protocol AnswerSink: AnyObject {
    /// A larger body is an error, and its transfer is aborted.
    var limitBytes: Int { get }

    func restart() throws(TransportError)

    /// Receives the next bytes, never more than the limit in all.
    func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError)
}

package final class AnswerFile: AnswerSink {
    package let limitBytes: Int
    package private(set) var byteCount = 0
    private let file: FileDescriptor

    /// - Parameter file: open for writing; its contents are replaced from the first byte on.
    package init(_ file: FileDescriptor, limitBytes: Int) {
        self.file = file
        self.limitBytes = limitBytes
    }

    package func restart() throws(TransportError) {
        byteCount = 0
        try rethrowing(file.truncate(toBytes: 0)) { (error: SystemError) in
            TransportError.answerNotKept(reason: error.description)
        }
    }

    package func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        try rethrowing(file.writeAll(bytes, at: byteCount)) { (error: SystemError) in
            TransportError.answerNotKept(reason: error.description)
        }
        byteCount += bytes.count
    }
}

package final class AnswerBytes: AnswerSink {
    package let limitBytes: Int
    package private(set) var bytes: [UInt8] = []

    package init(limitBytes: Int) {
        self.limitBytes = limitBytes
    }

    package func restart() {
        bytes = []
    }

    package func take(_ more: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: more)
    }
}
