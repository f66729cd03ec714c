// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphValues

/// A body with its SHA-256 as sent. Computing it reads files once, sending again.
package struct DigestedBody {
    package let body: any BodySource
    package let headers: [HTTPHeader]
    package let digest: [UInt8]

    package init(body: any BodySource, headers: [HTTPHeader], digest: [UInt8]) {
        self.body = body
        self.headers = headers
        self.digest = digest
    }

    package init(_ plain: any BodySource, _ compression: BodyCompression) throws(TransportError) {
        let sum = try Sum()
        switch compression {
        case .gzip:
            body = try GzipBody(compressing: plain, seeing: sum.add)
            headers = [.gzipEncoded]
        case .none:
            try sum.add(plain)
            body = plain
            headers = []
        }
        digest = try sum.finish()
    }

    private struct Sum {
        private let sum: SHA256

        init() throws(TransportError) {
            sum = try rethrowing(SHA256()) { (error: SigningError) in
                TransportError.unavailable(reason: error.description)
            }
        }

        func add(_ bytes: UnsafeRawBufferPointer) throws(TransportError) {
            try rethrowing(sum.add(bytes)) { (error: SigningError) in
                TransportError.unavailable(reason: error.description)
            }
        }

        func add(_ body: any BodySource) throws(TransportError) {
            let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
            defer { chunk.deallocate() }
            while true {
                let count = try body.read(into: chunk)
                guard count > 0 else { break }
                try add(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            }
            try body.rewind()
        }

        func finish() throws(TransportError) -> [UInt8] {
            return try rethrowing(sum.finish()) { (error: SigningError) in
                TransportError.unavailable(reason: error.description)
            }
        }
    }
}
