"""Signatures that are verified, and connections that are encrypted, with the clients that people have."""

import datetime
import ssl
import subprocess
import urllib.error
import urllib.request

import boto3
import botocore.auth
import endpoints
import pytest
from botocore.auth import SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError, ConnectionClosedError, SSLError

SECRET = "se/cr+et/of/the/first"
CREDENTIALS = f"""\
[default]
aws_access_key_id = FIRST
aws_secret_access_key = {SECRET}
region = eu-west-2

[session]
aws_access_key_id = SECOND
aws_secret_access_key = another
aws_session_token = to/ken+of=the=second
"""
MISMATCH = "The request signature we calculated does not match the signature you provided."
UNKNOWN = "The security token included in the request is invalid."
ONCE = Config(retries={"total_max_attempts": 1, "mode": "standard"})


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    file = tmp_path_factory.mktemp("access") / "credentials"
    file.write_text(CREDENTIALS)
    with endpoints.memory("--credentials", file) as running:
        yield running
    assert running.exit_code == 0


def client(url, key="FIRST", secret=SECRET, token=None, service="dynamodb", **options):
    return boto3.client(
        service, endpoint_url=url, region_name="eu-west-2", aws_access_key_id=key,
        aws_secret_access_key=secret, aws_session_token=token, config=ONCE, **options,
    )


def refusal(call):
    with pytest.raises(ClientError) as caught:
        call()
    answer = caught.value.response
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 400
    return answer["Error"]["Code"], answer["Error"]["Message"]


def test_the_right_key_is_let_in(guarded, name):
    signed = client(guarded.url)
    signed.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    )
    # A body of more than one packet, and letters of more than one byte.
    item = {"id": {"S": "é"}, "text": {"S": "ü" * 100_000}}
    signed.put_item(TableName=name, Item=item)
    assert signed.get_item(TableName=name, Key={"id": {"S": "é"}})["Item"] == item
    with_token = client(guarded.url, "SECOND", "another", "to/ken+of=the=second")
    assert name in with_token.list_tables()["TableNames"]
    assert client(guarded.url, service="dynamodbstreams").list_streams()["Streams"] == []


@pytest.mark.parametrize(
    ("key", "secret", "token", "error"),
    [
        ("FIRST", "wrong", None, ("InvalidSignatureException", MISMATCH)),
        ("NOBODY", SECRET, None, ("UnrecognizedClientException", UNKNOWN)),
        ("FIRST", SECRET, "a token", ("UnrecognizedClientException", UNKNOWN)),
        ("SECOND", "another", None, ("UnrecognizedClientException", UNKNOWN)),
    ],
)
def test_anyone_else_is_not(guarded, key, secret, token, error):
    kind, message = refusal(client(guarded.url, key, secret, token).list_tables)
    assert (kind, message[: len(error[1])]) == error


@pytest.mark.parametrize(
    ("minutes", "message"),
    [(-14, None), (-16, "Signature expired: "), (14, None), (16, "Signature not yet current: ")],
)
def test_clocks_may_be_a_quarter_of_an_hour_apart(guarded, monkeypatch, minutes, message):
    now = botocore.auth.get_current_datetime

    def skewed(*arguments, **named):
        return now(*arguments, **named) + datetime.timedelta(minutes=minutes)

    monkeypatch.setattr(botocore.auth, "get_current_datetime", skewed)
    call = client(guarded.url).list_tables
    if message is None:
        call()
    else:
        kind, said = refusal(call)
        assert (kind, said[: len(message)]) == ("InvalidSignatureException", message)


# The body is empty, which a call may not be; the signature comes first.
@pytest.mark.parametrize(
    ("secret", "error"), [(SECRET, "SerializationException"), ("wrong", "InvalidSignatureException")]
)
def test_a_query_signs_as_a_header_does(guarded, secret, error):
    headers = {"X-Amz-Target": "DynamoDB_20120810.ListTables", "Content-Type": "application/x-amz-json-1.0"}
    request = AWSRequest("POST", guarded.url + "/", headers=headers, data=b"")
    SigV4QueryAuth(Credentials("FIRST", secret), "dynamodb", "eu-west-2").add_auth(request)
    sent = urllib.request.Request(request.url, data=b"", headers=dict(request.headers), method="POST")
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(sent, timeout=30)
    assert error in caught.value.read().decode()


def test_a_health_check_needs_no_signature(guarded):
    with urllib.request.urlopen(guarded.url + "/health", timeout=30) as answer:
        assert answer.status == 200


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate that signs itself, for this machine, and its key."""
    folder = tmp_path_factory.mktemp("certificate")
    files = (folder / "certificate.pem", folder / "key.pem")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
         "-out", files[0], "-keyout", files[1]],
        check=True, capture_output=True,
    )
    return files


@pytest.fixture(scope="module")
def encrypted(certificate):
    with endpoints.memory("--tls-certificate", certificate[0], "--tls-key", certificate[1]) as running:
        assert running.url.startswith("https://")
        yield running
    assert running.exit_code == 0


def test_who_trusts_the_certificate_is_served(encrypted, certificate, name):
    trusting = client(encrypted.url, verify=str(certificate[0]))
    trusting.create_table(
        TableName=name, BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
    )
    item = {"id": {"S": "a"}, "text": {"S": "x" * 300_000}}
    trusting.put_item(TableName=name, Item=item)
    assert trusting.scan(TableName=name)["Items"] == [item]


def test_who_does_not_trust_it_and_who_does_not_encrypt_are_not(encrypted):
    with pytest.raises(SSLError):
        client(encrypted.url).list_tables()
    with pytest.raises(ConnectionClosedError):
        client(encrypted.url.replace("https", "http")).list_tables()


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_both_versions_are_spoken(encrypted, certificate, version):
    context = ssl.create_default_context(cafile=certificate[0])
    context.minimum_version = context.maximum_version = version
    with urllib.request.urlopen(encrypted.url + "/health", timeout=30, context=context) as answer:
        assert answer.status == 200
