// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum WeekAnswers {
    /// Some servers write numbers of 64 bits as text.
    struct Count: Decodable {
        let value: Int

        /// More than the rows of any table; sums cannot overflow.
        private static let most = 1 << 48

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            let number =
                try (try? container.decode(Int.self)) ?? Int(container.decode(String.self))
            guard let number, (0...Self.most).contains(number) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "no count")
            }
            value = number
        }

        var time: Timestamp { Timestamp(secondsSince1970: Double(value)) }
    }

    struct Totals: Decodable {
        let crashes, hosts, programs, signatures, releases: Count
    }

    struct Doubtful: Decodable {
        let reports: Count
    }

    struct Earliest: Decodable {
        let crashes, earliest: Count
    }

    struct Step: Decodable {
        let step, crashes: Count
    }

    struct Signature: Decodable {
        let program, signatureID, text, report: String
        let crashes, hosts, versions, first, last: Count

        enum CodingKeys: String, CodingKey {
            case program, text, report, crashes, hosts, versions, first, last
            case signatureID = "signature_id"
        }
    }

    struct SignatureStep: Decodable {
        let program, signatureID: String
        let step, crashes: Count

        enum CodingKeys: String, CodingKey {
            case program, step, crashes
            case signatureID = "signature_id"
        }
    }

    struct NewSignature: Decodable {
        let program, signatureID, text, firstVersion, report: String
        let crashes, hosts, first: Count

        enum CodingKeys: String, CodingKey {
            case program, text, report, crashes, hosts, first
            case signatureID = "signature_id"
            case firstVersion = "first_version"
        }
    }

    struct Program: Decodable {
        let program: String
    }

    struct Hosts: Decodable {
        let hosts: Count
    }

    struct Exists: Decodable {
        let result: Count
    }

    struct Running: Decodable {
        let program: String
        let now, before: Double
    }

    struct Change: Decodable {
        let program, signatureID, text, report: String
        let crashes, crashesBefore, hosts, hours, hoursBefore, mostHours, mostHoursBefore: Count
        let first: Count

        enum CodingKeys: String, CodingKey {
            case program, text, report, crashes, hosts, hours, first
            case signatureID = "signature_id"
            case crashesBefore = "crashes_before"
            case hoursBefore = "hours_before"
            case mostHours = "most_hours"
            case mostHoursBefore = "most_hours_before"
        }
    }

    struct Gap: Decodable {
        let program, signatureID, goneIn, backIn: String
        let seen, among, others: Count

        enum CodingKeys: String, CodingKey {
            case program, seen, among, others
            case signatureID = "signature_id"
            case goneIn = "gone_in"
            case backIn = "back_in"
        }
    }

    struct SignatureCount: Decodable {
        let signatures: Count
    }

    struct Release: Decodable {
        let program, version: String
        let crashes, hosts, signatures, first: Count
    }

    struct Host: Decodable {
        let host: String
        let crashes, programs, signatures: Count
    }

    struct MemoryError: Decodable {
        let error: String
        let reports, hosts, signatures: Count
    }

    struct Kind: Decodable {
        let kind: String
        let reports: Count
    }
}
