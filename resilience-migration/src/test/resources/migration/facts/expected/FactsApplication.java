package com.acme.facts;

import org.springframework.boot.autoconfigure.SpringBootApplication;

@SpringBootApplication
public class FactsApplication {}
