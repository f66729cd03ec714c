// SPDX-License-Identifier: Apache-2.0

import EpitaphSystem

/// Takes the body of a successful answer as it arrives, when it may be larger than memory should
/// be.
///
/// What a sink holds is the whole body only once `Transport.send` has returned a success: after an
/// error it holds the first part of one, or nothing. A part that was asked for, 206, is told apart
/// by the answer's status.
package protocol AnswerSink: AnyObject {
    /// The most bytes that are taken. A larger body is an error, and is broken off.
    var limitBytes: Int { get }

    /// Throws away what was taken: the request is sent from its beginning, perhaps again.
    func restart() throws(TransportError)

    /// Takes the next bytes, never more than the limit in all.
    func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError)
}

/// An answer's body in a file.
package final class AnswerFile: AnswerSink {
    package let limitBytes: Int
    /// How many bytes were taken.
    package private(set) var byteCount = 0
    private let file: FileDescriptor

    /// - Parameters:
    ///   - file: open for writing; what it holds is replaced, from its first byte on.
    ///   - limitBytes: the most bytes that are taken.
    package init(_ file: FileDescriptor, limitBytes: Int) {
        self.file = file
        self.limitBytes = limitBytes
    }

    package func restart() throws(TransportError) {
        byteCount = 0
        do throws(SystemError) {
            try file.truncate(toBytes: 0)
        } catch {
            throw .answerNotKept(reason: error.description)
        }
    }

    package func take(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
        do throws(SystemError) {
            try file.writeAll(bytes, at: byteCount)
        } catch {
            throw .answerNotKept(reason: error.description)
        }
        byteCount += bytes.count
    }
}

/// An answer's body in memory, for answers that are larger than what a transport keeps anyway.
package final class AnswerBytes: AnswerSink {
    package let limitBytes: Int
    /// What was taken.
    package private(set) var bytes: [UInt8] = []

    /// - Parameter limitBytes: the most bytes that are taken.
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
