// SPDX-License-Identifier: Apache-2.0

import CEpitaphLibraries

/// SHA-256, FIPS 180-4, of bytes in pieces.
package final class SHA256 {
    private let state: OpaquePointer

    /// - Throws: if no library that computes it can be loaded, or there is no memory.
    package init() throws(SigningError) {
        if let problem = epitaph_crypto_problem() {
            throw SigningError(
                "no library for signatures can be loaded (\(String(cString: problem))); on Debian"
                    + " it comes with libcurl4")
        }
        guard let state = epitaph_sha256_create() else {
            throw SigningError("the library for signatures refuses SHA-256")
        }
        self.state = state
    }

    deinit {
        epitaph_sha256_destroy(state)
    }

    package func add(_ bytes: UnsafeRawBufferPointer) throws(SigningError) {
        guard epitaph_sha256_add(state, bytes.baseAddress, bytes.count) else {
            throw SigningError("the library for signatures cannot go on")
        }
    }

    package func finish() throws(SigningError) -> [UInt8] {
        var isDone = false
        let digest = [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
            buffer.initialize(repeating: 0)
            isDone = epitaph_sha256_finish(state, buffer.baseAddress)
            count = 32
        }
        guard isDone else { throw SigningError("the library for signatures gives no digest") }
        return digest
    }

    package static func digest(of bytes: some Sequence<UInt8>) throws(SigningError) -> [UInt8] {
        let digest = try SHA256()
        let bytes = Array(bytes)
        // withUnsafeBytes passes on errors without their type.
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(SigningError) in try digest.add(bytes) }
        }
        try result.get()
        return try digest.finish()
    }

    /// HMAC-SHA-256: RFC 2104.
    static func authenticationCode(
        of text: String, key: [UInt8]
    ) throws(SigningError) -> [UInt8] {
        // Also loads the library.
        _ = try SHA256()
        var isDone = false
        var text = text
        let code = text.withUTF8 { text in
            [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
                buffer.initialize(repeating: 0)
                isDone = epitaph_hmac_sha256(
                    key, key.count, text.baseAddress, text.count, buffer.baseAddress)
                count = 32
            }
        }
        guard isDone else { throw SigningError("the library for signatures gives no code") }
        return code
    }
}

package struct SigningError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Reveals nothing about the key.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
