// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphSystem
import EpitaphValues

/// Signs the requests to one bucket and reads their answers. If the store wants another region or
/// this machine's clock is wrong, each request is corrected and repeated once; corrections are
/// remembered. An answer that points to another host is a refusal.
package final class BucketStore: Sendable {
    package let address: BucketAddress
    private let clock: any WallClock
    private let state = ForkSafeMutex(State())

    private struct State {
        var region: String?
        var clockOffset = 0.0
        var refusesConditions = false
    }

    package struct Answer: Sendable {
        package var response: UploadResponse
        /// Nil on success.
        package var refusal: StoreRefusal?
    }

    package init(_ address: BucketAddress, clock: any WallClock = SystemWallClock()) {
        self.address = address
        self.clock = clock
    }

    /// Sentences about things to know although requests succeed.
    package var remarks: [String] {
        let minutes = Int((state.withLock { $0.clockOffset } / 60).rounded())
        let side = minutes > 0 ? "behind" : "ahead of"
        let clock =
            "the clock of this machine is \(abs(minutes)) min \(side)"
            + " that of \(address.endpoint.server), so requests are signed with the server's time"
        return (minutes == 0 ? [] : [clock]) + (address.keys.warning.map { [$0] } ?? [])
    }

    var takesConditions: Bool { state.withLock { !$0.refusesConditions } }

    func noteThatConditionsAreRefused() {
        state.withLock { $0.refusesConditions = true }
    }

    /// Signs and sends a request, to the host of the bucket; repeats it within its time limit if
    /// the store names another region or time. `bodyDigest` is the SHA-256 of its body as sent.
    package func send(
        _ request: UploadRequest, bodyDigest: [UInt8], by transport: any Transport
    ) throws(TransportError) -> Answer {
        var request = request
        var triesLeft = 2
        while true {
            let begin = ContinuousClock.now
            let signed = try self.signed(request, bodyDigest: bodyDigest)
            try signed.body.rewind()
            let response = try transport.send(signed)
            let refusal = StoreRefusal(response)
            guard let refusal, triesLeft > 0, learns(from: refusal, response) else {
                return Answer(response: response, refusal: refusal)
            }
            triesLeft -= 1
            request.timeLimits.total -= ContinuousClock.now - begin
        }
    }

    private func signed(
        _ request: UploadRequest, bodyDigest: [UInt8]
    ) throws(TransportError) -> UploadRequest {
        let (region, offset) = state.withLock { ($0.region, $0.clockOffset) }
        do throws(SigningError) {
            let key = try address.keys.key()
            let time = RequestSigner.timeText(clock.now().adding(seconds: offset))
            let digest = bodyDigest.hexDigits
            var lines = [
                ("Host", address.host), ("X-Amz-Content-Sha256", digest), ("X-Amz-Date", time),
            ]
            if let token = key.sessionToken { lines.append(("X-Amz-Security-Token", token)) }
            let signer = RequestSigner(
                key: key, region: region ?? address.region, service: "s3")
            let content = RequestSigner.Content(
                method: request.method.rawValue, path: String(request.url.path),
                query: String(request.url.query),
                headers: request.headers.map { ($0.name, $0.value) } + lines, bodyDigest: digest)
            lines.append(("Authorization", try signer.authorization(for: content, time: time)))
            var signed = request
            for (name, value) in lines {
                guard let header = HTTPHeader(name, value) else {
                    throw SigningError("the key has characters that no header has")
                }
                signed.headers.append(header)
            }
            signed.redirects = .none
            signed.secrets = request.secrets.with(
                [key.secret] + (key.sessionToken.map { [$0] } ?? []))
            return signed
        } catch {
            throw .notSigned(server: address.endpoint.server, reason: error.description)
        }
    }

    /// Whether a different signature may be accepted.
    private func learns(from refusal: StoreRefusal, _ response: UploadResponse) -> Bool {
        switch refusal.code {
        case "RequestTimeTooSkewed":
            guard let date = response.headers["Date"].flatMap(RetryAfter.date) else { return false }
            let offset = date.seconds(since: clock.now())
            return state.withLock { state in
                defer { state.clockOffset = offset }
                return abs(state.clockOffset - offset) >= 1
            }
        case "AuthorizationHeaderMalformed", "IllegalLocationConstraintException":
            guard let region = refusal.region else { return false }
            return state.withLock { state in
                defer { state.region = region }
                return (state.region ?? address.region) != region
            }
        default:
            return false
        }
    }
}
