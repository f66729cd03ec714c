// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@testable import EpitaphHTTP
@testable import EpitaphUpload

@Suite("Addresses of buckets, and their keys")
struct BucketAddressTests {
    private func address(
        _ text: String, _ variables: [String: String] = [:]
    ) throws -> BucketAddress {
        try BucketAddress(text, environment: { variables[$0] })
    }

    @Test(
        "The bucket is in the path, or in the host's name",
        arguments: [
            ("https://store:9000/crashes/a/{uuid}", "https://store:9000/crashes/k", "us-east-1"),
            ("http://127.0.0.1:80/crashes/{uuid}", "http://127.0.0.1/crashes/k", "us-east-1"),
            (
                "https://s3.eu-west-1.amazonaws.com/crashes/{uuid}",
                "https://s3.eu-west-1.amazonaws.com/crashes/k", "eu-west-1"
            ),
            (
                "https://crashes.s3.eu-west-1.amazonaws.com/{uuid}",
                "https://crashes.s3.eu-west-1.amazonaws.com/k", "eu-west-1"
            ),
            (
                "https://crashes.store/{uuid}?style=host&region=here",
                "https://crashes.store/k", "here"
            ),
        ])
    func places(text: String, url: String, region: String) throws {
        let address = try address(text)
        #expect(try address.url(key: "k").text == url)
        #expect(address.region == region)
        #expect(address.rest.hasSuffix("{uuid}"))
    }

    @Test("A key is encoded byte by byte, but for its slashes")
    func encoding() throws {
        let address = try address("https://host/b/a%20b/é+=@{uuid}")
        #expect(address.rest == "a b/é+=@{uuid}")
        #expect(
            try address.url(key: "a b/é+=@(1)~").text
                == "https://host/b/a%20b/%C3%A9%2B%3D%40%281%29~")
        #expect(
            try address.url(key: "", parameters: [("prefix", "a/b c")]).text
                == "https://host/b/?prefix=a%2Fb%20c")
    }

    @Test("The region is that of the address, of AWS_REGION or of AWS_DEFAULT_REGION")
    func region() throws {
        let both = ["AWS_REGION": "one", "AWS_DEFAULT_REGION": "two"]
        #expect(try address("https://host/b/k?region=three", both).region == "three")
        #expect(try address("https://host/b/k", both).region == "one")
        #expect(try address("https://host/b/k", ["AWS_DEFAULT_REGION": "two"]).region == "two")
    }

    @Test(
        "What cannot be used is named without being repeated",
        arguments: [
            ("secret/bucket", "https://"), ("https://secret:secret@host/b/k", "environment"),
            ("ftp://secret/b", "endpoint"), ("https://host", "bucket"), ("https://host/", "bucket"),
            ("https://host/sec ret/k", "bucket"), ("https://host/b/../secret", ".."),
            ("https://host/b/k?secret=1", "region="), ("https://host/b/k?style=secret", "style"),
            ("https://host/b/k?region=sec%20ret", "region"),
            ("https://host/b/k?keys=secret", "keys="),
        ])
    func faults(text: String, words: String) throws {
        let error = #expect(throws: SettingError.self) { try address(text) }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
        #expect(error?.description.contains("secret") == false)
    }

    @Test("A destination needs {uuid}, and no {file}", arguments: ["", "{file}{uuid}", "{uid}"])
    func template(rest: String) throws {
        #expect(throws: SettingError.self) {
            try DestinationSpecification("s3:https://host/b/" + rest).destination()
        }
        #expect(
            try DestinationSpecification("s3:https://host/b/{product}/{uuid}").destination().server
                == "https://host")
    }

    @Test("The environment's key comes first, unless a file or a profile is named")
    func environment() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write(
            Array(
                """
                # of the fleet
                [default]
                aws_access_key_id=FILE
                aws_secret_access_key = of=file
                [other]
                AWS_ACCESS_KEY_ID = OTHER
                aws_secret_access_key = of-other
                aws_session_token = token
                [half]
                aws_access_key_id = HALF
                """.utf8), to: "keys")
        var variables = [
            "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "of-env",
            "AWS_SHARED_CREDENTIALS_FILE": file,
        ]
        func key(_ query: String = "") throws -> AccessKey {
            let variables = variables
            return try BucketAddress(
                "https://host/b/k" + query, environment: { variables[$0] }
            ).keys.key()
        }
        #expect(try key() == AccessKey(id: "ENV", secret: "of-env"))
        variables["AWS_SESSION_TOKEN"] = "t"
        #expect(try key() == AccessKey(id: "ENV", secret: "of-env", sessionToken: "t"))
        #expect(try key("?keys=\(file)") == AccessKey(id: "FILE", secret: "of=file"))
        #expect(
            try key("?profile=other")
                == AccessKey(id: "OTHER", secret: "of-other", sessionToken: "token"))
        variables["AWS_SECRET_ACCESS_KEY"] = nil
        #expect(try key() == AccessKey(id: "FILE", secret: "of=file"))
        variables["AWS_PROFILE"] = "other"
        #expect(try key().id == "OTHER")
        let half = #expect(throws: SigningError.self) { try key("?profile=half") }
        #expect(half?.description.contains(file) == true)
        variables["CREDENTIALS_DIRECTORY"] = directory.path
        variables["AWS_PROFILE"] = nil
        #expect(try key("?keys=credential:keys").id == "FILE")
        variables["AWS_SHARED_CREDENTIALS_FILE"] = directory.path("none")
        let none = #expect(throws: SigningError.self) { try key() }
        #expect(none?.description.contains("AWS_ACCESS_KEY_ID") == true)
        #expect(none?.description.contains("No such file") == true)
    }

    @Test("A renewed key is used at once, and a file that everybody may read is pointed out")
    func renewed() throws {
        let directory = try TemporaryDirectory()
        func write(_ id: String) throws -> String {
            try directory.write(
                Array("aws_access_key_id=\(id)\naws_secret_access_key=secret\n".utf8), to: "keys")
        }
        let file = try write("OLD")
        let source = AccessKeySource(file: file, environment: { _ in nil })
        #expect(try source.key().id == "OLD")
        _ = try write("NEW")
        #expect(try source.key().id == "NEW")
        #expect(chmod(file, 0o600) == 0)
        #expect(source.warning == nil)
        #expect(chmod(file, 0o644) == 0)
        #expect(source.warning?.contains(file) == true)
    }
}
